import { randomBytes } from 'node:crypto';
import type { CID } from 'multiformats/cid';
import { z } from 'zod';
import type { BlockKeeper, BlockRequest } from '../block-source.ts';
import { DAG_PB, parseContentId } from '../content-id.ts';
import { addressRule } from '../http/fetch-public.ts';
import { GuardedClient, unreachable, urlBelow, type GuardedAnswer } from '../http/guarded-client.ts';

/** Time that a node may search the network for one block. */
const SEARCH = '20s';
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Messages for a block that a node does not have or cannot find. Its only error status is 500. */
const NOT_FOUND = /not found|could not find|context deadline exceeded/i;

const errorSchema = z.object({ Message: z.string() });
const putSchema = z.object({ Key: z.string() });

/**
 * A Kubo node by its RPC interface (`http://127.0.0.1:5001`). What is stored there is pinned, so that it is not swept.
 */
export class KuboBlocks implements BlockKeeper {
  readonly name: string;
  readonly #base: URL;
  readonly #client: GuardedClient;

  constructor(url: URL) {
    this.name = url.href;
    this.#base = url;
    this.#client = new GuardedClient({ refuse: addressRule(url, 'named', true) });
  }

  async fetchBlock(cid: CID, request: BlockRequest): Promise<Uint8Array | null> {
    const { maxBytes } = request;
    const url = this.#url('block/get', { arg: cid.toString(), timeout: SEARCH });
    // An explanation may be longer than a small block.
    const answer = await this.#client.request(url, {
      method: 'POST',
      maxBytes: Math.max(maxBytes, MAX_ANSWER_BYTES),
      signal: request.signal,
    });
    if (answer.status === 200) return answer.bytes;
    const message = messageOf(answer);
    if (NOT_FOUND.test(message)) return null;
    throw unreachable(url, message);
  }

  async storeBlock(cid: CID, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const url = this.#url('block/put', { 'cid-codec': cid.code === DAG_PB ? 'dag-pb' : 'raw', mhtype: 'sha2-256' });
    const { body, contentType } = multipart(bytes);
    const answer = await this.#client.request(url, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    if (answer.status !== 200) throw unreachable(url, messageOf(answer));
    const key = parseContentId(this.#parse(url, putSchema, answer).Key);
    if (Buffer.compare(key.multihash.bytes, cid.multihash.bytes) !== 0)
      throw unreachable(url, `it stored ${cid.toString()} under ${key.toString()}`);
  }

  async keep(root: CID, signal: AbortSignal): Promise<void> {
    const url = this.#url('pin/add', { arg: root.toString() });
    const answer = await this.#client.request(url, { method: 'POST', maxBytes: MAX_ANSWER_BYTES, signal });
    if (answer.status !== 200) throw unreachable(url, messageOf(answer));
  }

  #url(command: string, parameters: Record<string, string>): URL {
    return urlBelow(this.#base, `api/v0/${command}`, parameters);
  }

  #parse<T>(url: URL, schema: z.ZodType<T>, answer: GuardedAnswer): T {
    const parsed = schema.safeParse(jsonOf(answer));
    if (!parsed.success) throw unreachable(url, 'it is no Kubo RPC interface');
    return parsed.data;
  }
}

function messageOf(answer: GuardedAnswer): string {
  const parsed = errorSchema.safeParse(jsonOf(answer));
  return parsed.success ? parsed.data.Message.slice(0, 500) : `it answered ${answer.status}`;
}

function jsonOf(answer: GuardedAnswer): unknown {
  try {
    return JSON.parse(answer.bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function multipart(bytes: Uint8Array): { body: Uint8Array; contentType: string } {
  const boundary = randomBytes(24).toString('hex');
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="data"; filename="block"\r\n` +
    'content-type: application/octet-stream\r\n\r\n';
  return {
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
