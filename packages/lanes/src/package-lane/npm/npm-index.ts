import type { ArtefactCache, ContentHash } from '../artefact-cache.ts';
import type { LaneLimits, LaneResolution } from '../contract.ts';
import type { DocumentCache } from '../document-cache.ts';
import type { UpstreamClient } from '../fetch-upstream.ts';
import {
  absentJson,
  jsonAnswer,
  unknownPath,
  type LaneAnswer,
  type LaneIndex,
  type LaneRequest,
} from '../lane-answer.ts';
import { Memory } from '../memory.ts';
import { isNpmName } from '../names.ts';
import { freezePackument } from './freeze-packument.ts';
import { contradiction, parseDirectDependency, type DirectDependency } from './judge-dates.ts';
import { parsePackument, type Packument } from './packument.ts';
import { ABBREVIATED_TYPE, renderPackument, tarballName } from './render-packument.ts';

const PARALLEL_JUDGEMENTS = 8;
/** With a lockfile the dates do not matter, which are most of what the short form leaves out. */
const SHORT_FORM = `${ABBREVIATED_TYPE}; q=1.0, application/json; q=0.8`;
/** Bytes that the sources of one version take, about. */
const WEIGHT_OF_TARBALL = 512;

/** An empty audit report, so that a client does not wait for one. */
const CLEAN_AUDIT = { actions: [], advisories: {}, muted: [], metadata: { vulnerabilities: {}, dependencies: 0 } };
const AUDIT_PATHS = new Map<string, unknown>([
  ['-/npm/v1/security/advisories/bulk', {}],
  ['-/npm/v1/security/audits', CLEAN_AUDIT],
  ['-/npm/v1/security/audits/quick', CLEAN_AUDIT],
]);

export interface NpmIndexOptions {
  client: UpstreamClient;
  /** By scope (`@company`), where it has a registry of its own. */
  scoped: ReadonlyMap<string, UpstreamClient>;
  documents: DocumentCache;
  artefacts: ArtefactCache;
  limits: LaneLimits;
  mode: 'frozen' | 'lockfile';
  cutoff: Date;
  exclude: string[];
  directRanges: Record<string, string>;
  origin: string;
}

/** A package as it is kept: the text that clients get, and the sources of its tarballs. */
interface VisiblePackage {
  /** Null with a lockfile: clients ask for tarballs then, and seldom for this. */
  text: Buffer | null;
  /** By the name of the lane and by that of the upstream, which lockfiles may have. */
  tarballs: Map<string, { url: URL; hash: ContentHash }>;
}

/** Address of a package's packument at an upstream. */
export const packumentAddress = (name: string, base: URL): URL => new URL(name.replace('/', '%2f'), base);

/** Returns whether a request is an audit, the only kind that posts. */
export const isAudit = (segments: string[]): boolean => AUDIT_PATHS.has(segments.join('/'));

/** `/<name>`, `/@scope/name`, `/<name>/-/<file>.tgz`, and the audits. */
export class NpmIndex implements LaneIndex {
  readonly #options: NpmIndexOptions;
  readonly #excluded: Set<string>;
  readonly #direct: DirectDependency[];
  readonly #packages = new Memory<VisiblePackage | null>();
  readonly #texts = new Memory<Buffer>();
  /** Explains why no version of a package is visible although the upstream has some. */
  readonly #tooYoung = new Map<string, string>();
  resolution: LaneResolution;
  /** Reasons not to believe the dates. Empty when they are believed. */
  readonly contradictions: string[] = [];

  constructor(options: NpmIndexOptions) {
    this.#options = options;
    this.#excluded = new Set(options.exclude.map(foldName));
    this.#direct = Object.entries(options.directRanges).flatMap(
      ([key, specifier]) => parseDirectDependency(key, specifier) ?? [],
    );
    this.resolution = options.mode === 'lockfile' ? 'lockfile' : 'date';
  }

  /** Weighs the upstream's dates against T0's manifests; before the first answer. Throws `LANE_FAILED`. */
  async judgeDates(): Promise<void> {
    if (this.resolution === 'lockfile') return;
    const queue = this.#direct.filter(({ name }) => this.#isAllowed(name));
    await Promise.all(
      Array.from({ length: PARALLEL_JUDGEMENTS }, async () => {
        for (let direct = queue.shift(); direct; direct = queue.shift()) {
          const found = await this.#read(direct.name);
          const doubt = found ? contradiction(found, direct.range, this.#options.cutoff) : null;
          if (doubt !== null) this.contradictions.push(doubt);
        }
      }),
    );
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
    const visible = await this.#visible(name);
    if (!visible) return this.#absent(name);
    return {
      status: 200,
      type: accept.includes(ABBREVIATED_TYPE) ? ABBREVIATED_TYPE : 'application/json',
      body: visible.text ?? (await this.#text(name)),
    };
  }

  async #tarball(name: string, filename: string): Promise<LaneAnswer> {
    const { artefacts, limits } = this.#options;
    const tarball = (await this.#visible(name))?.tarballs.get(filename);
    if (!tarball) return this.#absent(name, filename);
    const artefact = await artefacts.get(this.#clientFor(name), tarball.url, tarball.hash, limits.artefactBytes);
    return artefact
      ? { status: 200, type: 'application/octet-stream', body: artefact }
      : absentJson(filename, 'the upstream lists it but has it not');
  }

  #absent(name: string, what = name): LaneAnswer {
    return absentJson(what, this.#isAllowed(name) ? (this.#tooYoung.get(name) ?? 'nothing visible') : 'excluded');
  }

  #clientFor(name: string): UpstreamClient {
    return this.#options.scoped.get(name.slice(0, Math.max(0, name.indexOf('/')))) ?? this.#options.client;
  }

  #isAllowed(name: string): boolean {
    return isNpmName(name) && !this.#excluded.has(foldName(name));
  }

  /** Null when no version is visible. */
  #visible(name: string): Promise<VisiblePackage | null> {
    if (!this.#isAllowed(name)) return Promise.resolve(null);
    return this.#packages.get(name, async () => {
      const frozen = await this.#frozen(name);
      if (!frozen || frozen.visible.versions.size === 0) {
        if (frozen) this.#tooYoung.set(name, datesOf(frozen.whole));
        return { value: null, weight: 0 };
      }
      const tarballs = this.#tarballs(frozen.visible);
      if (this.resolution === 'lockfile')
        return { value: { text: null, tarballs }, weight: tarballs.size * WEIGHT_OF_TARBALL };
      const text = this.#render(frozen.visible);
      return { value: { text, tarballs }, weight: text.length };
    });
  }

  /** What clients get of a package that is visible. */
  #text(name: string): Promise<Buffer> {
    return this.#texts.get(name, async () => {
      const frozen = await this.#frozen(name);
      const value = frozen ? this.#render(frozen.visible) : Buffer.alloc(0);
      return { value, weight: value.length };
    });
  }

  #render = (visible: Packument): Buffer => Buffer.from(renderPackument(visible, this.#options.origin));

  #tarballs(packument: Packument): VisiblePackage['tarballs'] {
    const base = this.#clientFor(packument.name).upstream.url;
    const tarballs: VisiblePackage['tarballs'] = new Map();
    for (const { version, tarball, hash } of packument.versions.values()) {
      const url = URL.parse(tarball, base.href);
      if (!url || !hash || (url.protocol !== 'https:' && url.protocol !== base.protocol)) continue;
      tarballs.set(basename(url), { url, hash });
      tarballs.set(tarballName(packument.name, version), { url, hash });
    }
    return tarballs;
  }

  async #frozen(name: string): Promise<{ whole: Packument; visible: Packument } | null> {
    const packument = await this.#read(name);
    if (!packument) return null;
    const ranges = this.#direct.filter((direct) => direct.name === name).map(({ range }) => range);
    return {
      whole: packument,
      visible: freezePackument(packument, { resolution: this.resolution, cutoff: this.#options.cutoff, ranges }),
    };
  }

  async #read(name: string): Promise<Packument | null> {
    const client = this.#clientFor(name);
    const { documents } = this.#options;
    const form = this.resolution === 'lockfile' ? SHORT_FORM : 'application/json';
    const document = await documents.get(client, packumentAddress(name, client.upstream.url), form);
    return document && parsePackument(name, document);
  }
}

/** npm names are case-sensitive, but an alias that differs from the target only in case is still the target. */
const foldName = (name: string): string => name.toLowerCase();

function datesOf({ versions, times }: Packument): string {
  const dates = [...versions.keys()].flatMap((version) => times.get(version)?.getTime() ?? []);
  const told =
    dates.length === 0 ? 'none has a date' : `the earliest is dated ${new Date(Math.min(...dates)).toISOString()}`;
  return `nothing visible: of ${versions.size} versions ${told}`;
}

function basename(url: URL): string {
  try {
    return decodeURIComponent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1));
  } catch {
    return '';
  }
}
