import { strongestHash, type ArtefactCache } from '../artefact-cache.ts';
import type { LaneLimits } from '../contract.ts';
import type { DocumentCache } from '../document-cache.ts';
import type { UpstreamClient, UpstreamDocument } from '../fetch-upstream.ts';
import { absent, unknownPath, type LaneAnswer, type LaneIndex, type LaneRequest } from '../lane-answer.ts';
import { Memory } from '../memory.ts';
import { isPythonName, normalizePythonName } from '../names.ts';
import { freezeFiles, type VisibleFile } from './freeze-files.ts';
import { parseIndex } from './parse-index.ts';
import { JSON_TYPE, preferredType, renderHtml, renderJson } from './render-index.ts';

/** JSON first: an index that knows upload times may leave them out of the page that it shows to browsers. */
export const INDEX_ACCEPT = `${JSON_TYPE}, text/html;q=0.5`;

export interface PypiIndexOptions {
  /** The first client that has a file of a name provides it. */
  clients: UpstreamClient[];
  documents: DocumentCache;
  artefacts: ArtefactCache;
  limits: LaneLimits;
  /** Null: whatever its date. */
  cutoff: Date | null;
  exclude: string[];
  origin: string;
}

interface ServedFile extends VisibleFile {
  client: UpstreamClient;
}

/** `/simple/<project>/`, `/packages/<project>/<file>` and `…/<file>.metadata`. */
export class PypiIndex implements LaneIndex {
  readonly #options: PypiIndexOptions;
  readonly #excluded: Set<string>;
  readonly #projects = new Memory<ServedFile[]>();

  constructor(options: PypiIndexOptions) {
    this.#options = options;
    this.#excluded = new Set(options.exclude.map(normalizePythonName));
  }

  async answer(request: LaneRequest): Promise<LaneAnswer> {
    const [area, name, filename, ...rest] = request.segments;
    if (name === undefined || rest.length > 0 || !isPythonName(name)) return unknownPath();
    if (area === 'simple' && filename === undefined)
      return await this.#page(normalizePythonName(name), request.headers.accept ?? '');
    if (area === 'packages' && filename !== undefined) return await this.#file(normalizePythonName(name), filename);
    return unknownPath();
  }

  async #page(project: string, accept: string): Promise<LaneAnswer> {
    const files = await this.#visible(project);
    if (files.length === 0) return this.#absent(project);
    const type = preferredType(accept);
    const render = type === JSON_TYPE ? renderJson : renderHtml;
    return { status: 200, type, body: render(project, files, this.#options.origin) };
  }

  async #file(project: string, filename: string): Promise<LaneAnswer> {
    const { artefacts, limits } = this.#options;
    const files = await this.#visible(project);
    const file = files.find((candidate) => candidate.filename === filename);
    if (file) {
      const artefact = await artefacts.get(file.client, file.url, file.hash, limits.artefactBytes);
      return artefact
        ? { status: 200, type: 'application/octet-stream', body: artefact }
        : absent(filename, 'the upstream lists it but has it not');
    }
    const described = files.find(
      (candidate) => candidate.metadata !== null && `${candidate.filename}.metadata` === filename,
    );
    return described ? await this.#metadata(described) : this.#absent(project, filename);
  }

  async #metadata(file: ServedFile): Promise<LaneAnswer> {
    const { artefacts, limits } = this.#options;
    const { client } = file;
    const url = new URL(file.url);
    url.pathname += '.metadata';
    const type = 'application/octet-stream';
    const hash = strongestHash({ ...file.metadata, sha1: undefined });
    const body = hash
      ? await artefacts.get(client, url, hash, limits.indexBytes)
      : (await client.document(url, '*/*'))?.body;
    return body
      ? { status: 200, type, body }
      : absent(`${file.filename}.metadata`, 'the upstream lists it but has it not');
  }

  #absent(project: string, what = project): LaneAnswer {
    return absent(what, this.#excluded.has(project) ? 'excluded' : 'nothing visible');
  }

  #visible(project: string): Promise<ServedFile[]> {
    if (this.#excluded.has(project)) return Promise.resolve([]);
    const { clients, cutoff } = this.#options;
    return this.#projects.get(project, async () => {
      const pages = await Promise.all(clients.map((client) => this.#read(client, project)));
      const files = new Map<string, ServedFile>();
      let weight = 0;
      for (const { client, document } of pages) {
        if (!document) continue;
        weight += document.body.length;
        for (const file of freezeFiles(project, parseIndex(document), cutoff))
          if (!files.has(file.filename)) files.set(file.filename, { ...file, client });
      }
      return { value: [...files.values()], weight };
    });
  }

  async #read(
    client: UpstreamClient,
    project: string,
  ): Promise<{ client: UpstreamClient; document: UpstreamDocument | null }> {
    return {
      client,
      document: await this.#options.documents.get(client, new URL(`${project}/`, client.upstream.url), INDEX_ACCEPT),
    };
  }
}
