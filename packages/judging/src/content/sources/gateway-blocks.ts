import type { CID } from 'multiformats/cid';
import type { BlockRequest, BlockSource } from '../block-source.ts';
import { addressRule, followRedirects, type LocalAccess } from '../http/fetch-public.ts';
import { GuardedClient, unreachable, urlBelow, type Resolve } from '../http/guarded-client.ts';

export interface GatewayOptions {
  /**
   * Which addresses may be local. Default `named`: the gateway that the user named may be, what it redirects to may
   * not.
   */
  local?: LocalAccess | undefined;
  resolve?: Resolve | undefined;
}

/** A trustless gateway (`GET /ipfs/<cid>?format=raw`), read block by block. */
export class GatewayBlocks implements BlockSource {
  readonly name: string;
  readonly #base: URL;
  readonly #client: GuardedClient;

  constructor(url: URL, options: GatewayOptions = {}) {
    this.name = url.href;
    this.#base = url;
    // Every block is verified, so plain http is safe.
    this.#client = new GuardedClient({
      refuse: addressRule(url, options.local ?? 'named', true),
      resolve: options.resolve,
    });
  }

  async fetchBlock(cid: CID, request: BlockRequest): Promise<Uint8Array | null> {
    const address = urlBelow(this.#base, `ipfs/${cid.toString()}`, { format: 'raw' });
    const { answer, url } = await followRedirects(this.#client, address, {
      ...request,
      headers: { accept: 'application/vnd.ipld.raw' },
    });
    if (answer.status === 200) return answer.bytes;
    // 404 and 410 are answers; a gateway that cannot find a block in time says 504 or 500.
    if (answer.status === 404 || answer.status === 410) return null;
    throw unreachable(url, `it answered ${answer.status}`);
  }
}
