import type { ArtefactCache } from '../artefact-cache.ts';
import type { LaneLimits, LaneResolution } from '../contract.ts';
import type { DocumentCache } from '../document-cache.ts';
import type { UpstreamClient } from '../fetch-upstream.ts';
import { absent, jsonAnswer, textAnswer, unknownPath, type LaneAnswer, type LaneIndex, type LaneRequest } from '../lane-answer.ts';
import { Memory } from '../memory.ts';
import { isNpmName } from '../names.ts';
import { freezePackument } from './freeze-packument.ts';
import { contradiction, parseDirectDependency, type DirectDependency } from './judge-dates.ts';
import { parsePackument, tarballHash, type Packument } from './packument.ts';
import { ABBREVIATED_TYPE, renderAbbreviated, renderFull, tarballName } from './render-packument.ts';

const PARALLEL_JUDGEMENTS = 8;

/** What an audit finds here: nothing. It answers so that a client does not wait for what cannot come. */
const CLEAN_AUDIT = { actions: [], advisories: {}, muted: [], metadata: { vulnerabilities: {}, dependencies: 0 } };
const AUDIT_PATHS = new Map<string, unknown>([
  ['-/npm/v1/security/advisories/bulk', {}],
  ['-/npm/v1/security/audits', CLEAN_AUDIT],
  ['-/npm/v1/security/audits/quick', CLEAN_AUDIT],
]);

export interface NpmIndexOptions {
  client: UpstreamClient;
  documents: DocumentCache;
  artefacts: ArtefactCache;
  limits: LaneLimits;
  mode: 'frozen' | 'lockfile';
  cutoff: Date;
  exclude: string[];
  directRanges: Record<string, string>;
  origin: string;
}

/** Address of a package's packument at an upstream. */
export const packumentAddress = (name: string, base: URL): URL => new URL(name.replace('/', '%2f'), base);

/** Whether a request is an audit: the one kind that posts. */
export const isAudit = (segments: string[]): boolean => AUDIT_PATHS.has(segments.join('/'));

/** `/<name>`, `/@scope/name`, `/<name>/-/<file>.tgz`, and the audits. */
export class NpmIndex implements LaneIndex {
  readonly #options: NpmIndexOptions;
  readonly #excluded: Set<string>;
  readonly #direct: DirectDependency[];
  readonly #packages = new Memory<Packument | null>();
  resolution: LaneResolution;
  /** Why the dates are not believed; empty when they are. */
  readonly contradictions: string[] = [];

  constructor(options: NpmIndexOptions) {
    this.#options = options;
    this.#excluded = new Set(options.exclude.map(foldName));
    this.#direct = Object.entries(options.directRanges).flatMap(([key, specifier]) => parseDirectDependency(key, specifier) ?? []);
    this.resolution = options.mode === 'lockfile' ? 'lockfile' : 'date';
  }

  /** Weighs the upstream's dates against T0's manifests; before the first answer. Throws `LANE_FAILED`. */
  async judgeDates(): Promise<void> {
    if (this.resolution === 'lockfile') return;
    const queue = this.#direct.filter(({ name }) => this.#isAllowed(name));
    await Promise.all(Array.from({ length: PARALLEL_JUDGEMENTS }, async () => {
      for (let direct = queue.shift(); direct; direct = queue.shift()) {
        const found = await this.#read(direct.name);
        const doubt = found ? contradiction(found.packument, direct.range, this.#options.cutoff) : null;
        if (doubt !== null) this.contradictions.push(doubt);
      }
    }));
    this.contradictions.sort();
    if (this.contradictions.length > 0) this.resolution = 'lowest';
  }

  async answer(request: LaneRequest): Promise<LaneAnswer> {
    const path = request.segments.join('/');
    if (AUDIT_PATHS.has(path)) return jsonAnswer(AUDIT_PATHS.get(path));
    if (path === '-/ping') return jsonAnswer({});
    const tarball = /^((?:@[^/]+\/)?[^/]+)\/-\/([^/]+)$/.exec(path);
    if (tarball?.[1] && tarball[2] && isNpmName(tarball[1])) return await this.#tarball(tarball[1], tarball[2]);
    return isNpmName(path) ? await this.#packument(path, request.headers.accept ?? '') : unknownPath();
  }

  async #packument(name: string, accept: string): Promise<LaneAnswer> {
    const packument = await this.#visible(name);
    if (!packument) return this.#absent(name);
    const { origin } = this.#options;
    if (accept.includes(ABBREVIATED_TYPE)) return jsonAnswer(renderAbbreviated(packument, origin), ABBREVIATED_TYPE);
    return jsonAnswer(renderFull(packument, origin));
  }

  async #tarball(name: string, filename: string): Promise<LaneAnswer> {
    const { client, artefacts, limits } = this.#options;
    const packument = await this.#visible(name);
    for (const manifest of packument?.versions.values() ?? []) {
      const url = URL.parse(manifest.dist.tarball, client.upstream.url.href);
      const hash = tarballHash(manifest);
      if (!url || !hash || (filename !== tarballName(name, manifest.version) && filename !== basename(url))) continue;
      if (url.protocol !== 'https:' && url.protocol !== client.upstream.url.protocol) return textAnswer(502, 'the upstream gives no usable address', 'tarball address');
      const artefact = await artefacts.get(client, url, hash, limits.artefactBytes);
      return artefact ? { status: 200, type: 'application/octet-stream', body: artefact } : absent(filename, 'the upstream lists it but has it not');
    }
    return this.#absent(name, filename);
  }

  #absent(name: string, what = name): LaneAnswer {
    return absent(what, this.#isAllowed(name) ? 'nothing visible' : 'excluded');
  }

  #isAllowed(name: string): boolean {
    return isNpmName(name) && !this.#excluded.has(foldName(name));
  }

  /** Null when nothing of it can be seen. */
  #visible(name: string): Promise<Packument | null> {
    if (!this.#isAllowed(name)) return Promise.resolve(null);
    return this.#packages.get(name, async () => {
      const found = await this.#read(name);
      if (!found) return { value: null, weight: 0 };
      const ranges = this.#direct.filter((direct) => direct.name === name).map(({ range }) => range);
      const packument = freezePackument(found.packument, { resolution: this.resolution, cutoff: this.#options.cutoff, ranges });
      return { value: packument.versions.size > 0 ? packument : null, weight: found.weight };
    });
  }

  async #read(name: string): Promise<{ packument: Packument; weight: number } | null> {
    const { client, documents } = this.#options;
    const document = await documents.get(client, packumentAddress(name, client.upstream.url), 'application/json');
    return document && { packument: parsePackument(name, document), weight: document.body.length };
  }
}

/** npm tells case apart, but an alias of the target that differs in case only is still the target. */
const foldName = (name: string): string => name.toLowerCase();

function basename(url: URL): string {
  try {
    return decodeURIComponent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1));
  } catch {
    return '';
  }
}
