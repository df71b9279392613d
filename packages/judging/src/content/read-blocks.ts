import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import type { BlockKeeper, BlockRequest, BlockSource } from './block-source.ts';
import { DAG_PB, assertSupported, inlineContent, matchesContentId } from './content-id.ts';
import { firstAnswer } from './first-answer.ts';

/** No node that Kubo writes or passes on is larger. Raw blocks are bounded by what the caller takes. */
const MAX_NODE_BYTES = 2 * 1024 * 1024;
const DEFAULT_PATIENCE_MS = 2000;

/** Report of a source that failed, or gave wrong or too many bytes. */
export interface SourceFault {
  source: string;
  code: 'CONTENT_CORRUPT' | 'CONTENT_TOO_LARGE' | 'CONTENT_UNREACHABLE' | 'CONTENT_UNWRITABLE';
  detail: string;
}

export interface BlockReaderOptions {
  /** Sources in order of use. The one that answered last is asked first next time, after `fill`. */
  sources: readonly BlockSource[];
  /** One of the sources. It is always asked first, and gets every block that another one had. */
  fill?: BlockKeeper | undefined;
  /** Called for each source that failed, even when another one had the block. */
  onFault?: ((fault: SourceFault) => void) | undefined;
  /** Time that a source may be silent before the next is asked too. Default 2 s. */
  patienceMs?: number | undefined;
  /** Advice for a user whose CID was not found. */
  hint?: string | undefined;
}

/** Reads single blocks from untrusted sources and verifies each against its CID. */
export class BlockReader {
  readonly #options: BlockReaderOptions;
  #others: BlockSource[];

  constructor(options: BlockReaderOptions) {
    this.#options = options;
    this.#others = options.sources.filter((source) => source !== options.fill);
  }

  /**
   * Throws `CONTENT_NOT_FOUND` when no source has it, `CONTENT_CORRUPT` when one had something else under its name,
   * `CONTENT_UNREACHABLE` when one could not tell, `CONTENT_TOO_LARGE`, and the reason of the signal.
   */
  async read(cid: CID, request: BlockRequest): Promise<Uint8Array> {
    assertSupported(cid);
    const { fill, patienceMs = DEFAULT_PATIENCE_MS } = this.#options;
    const faults: SourceFault[] = [];
    const maxBytes = cid.code === DAG_PB ? MAX_NODE_BYTES : request.maxBytes;
    const attempts = [...(fill === undefined ? [] : [fill]), ...this.#others].map(
      (source) => async (signal: AbortSignal) => {
        const bytes = await this.#ask(source, cid, { maxBytes, signal }, faults);
        return bytes && { source, bytes };
      },
    );
    const found = inlineAnswer(cid) ?? (await firstAnswer(attempts, { delayMs: patienceMs, signal: request.signal }));
    request.signal.throwIfAborted();
    if (found === null) throw this.#failure(cid, maxBytes, faults);
    if (found.bytes.length > maxBytes)
      throw new AssayError('CONTENT_TOO_LARGE', { reference: cid.toString(), limit: maxBytes });
    if (found.source !== null && found.source !== fill) {
      this.#others = [found.source, ...this.#others.filter((other) => other !== found.source)];
      await this.#keep(cid, found.bytes, request.signal);
    }
    return found.bytes;
  }

  async #ask(source: BlockSource, cid: CID, request: BlockRequest, faults: SourceFault[]): Promise<Uint8Array | null> {
    const report = (code: SourceFault['code'], detail: string): null => {
      const fault = { source: source.name, code, detail };
      faults.push(fault);
      this.#options.onFault?.(fault);
      return null;
    };
    try {
      const bytes = await source.fetchBlock(cid, request);
      if (bytes === null || matchesContentId(cid, bytes)) return bytes;
      return report('CONTENT_CORRUPT', `${bytes.length} bytes that are something else`);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!AssayError.is(error)) throw error;
      const { code } = error;
      return report(
        code === 'CONTENT_CORRUPT' || code === 'CONTENT_TOO_LARGE' ? code : 'CONTENT_UNREACHABLE',
        String(error.details['detail'] ?? error.message),
      );
    }
  }

  /** A full disk must not keep the caller from a block that was found. */
  async #keep(cid: CID, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.fill?.storeBlock(cid, bytes, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!AssayError.is(error)) throw error;
      this.#options.onFault?.({
        source: this.#options.fill?.name ?? '',
        code: 'CONTENT_UNWRITABLE',
        detail: error.message,
      });
    }
  }

  #failure(cid: CID, limit: number, faults: SourceFault[]): AssayError {
    const reference = cid.toString();
    const detail = faults.map((fault) => `${fault.source}: ${fault.detail}`).join('; ');
    const has = (code: SourceFault['code']): boolean => faults.some((fault) => fault.code === code);
    if (has('CONTENT_CORRUPT')) return new AssayError('CONTENT_CORRUPT', { cid: reference, detail });
    if (has('CONTENT_TOO_LARGE')) return new AssayError('CONTENT_TOO_LARGE', { reference, limit });
    if (faults.length > 0) return new AssayError('CONTENT_UNREACHABLE', { reference, detail });
    const places = this.#options.sources.map(({ name }) => name).join(', ');
    return new AssayError('CONTENT_NOT_FOUND', { cid: reference, places, hint: this.#options.hint ?? '' });
  }
}

function inlineAnswer(cid: CID): { source: null; bytes: Uint8Array } | null {
  const bytes = inlineContent(cid);
  return bytes && { source: null, bytes };
}
