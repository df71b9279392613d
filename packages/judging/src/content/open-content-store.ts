import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { cacheDirectory } from '@assay/files/store/paths';
import { createContentStore, type ContentStore } from './content-store.ts';
import type { SourceFault } from './read-blocks.ts';
import { GatewayBlocks } from './sources/gateway-blocks.ts';
import { KuboBlocks } from './sources/kubo-blocks.ts';
import { LocalBlocks } from './sources/local-blocks.ts';

export interface OpenContentStoreOptions {
  /** Default `content` in Assay's cache. Null: nothing is kept on this machine. */
  directory?: string | null;
  /** A Kubo node's RPC interface. Default `$ASSAY_IPFS_API`. Null: none. */
  kubo?: string | null;
  /**
   * Trustless gateways. Default `$ASSAY_IPFS_GATEWAYS`, separated by commas. None is built in: a request tells a
   * stranger what is read.
   */
  gateways?: readonly string[];
  /** Called for each source that failed or lied while another one had the content. */
  onFault?: (fault: SourceFault) => void;
  /** Default: the process's own. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the store that a command uses: this machine first, then the Kubo node, then the gateways; what they had is kept
 * here.
 */
export function openContentStore(options: OpenContentStoreOptions = {}): ContentStore {
  const environment = options.environment ?? process.env;
  const directory = options.directory === undefined ? join(cacheDirectory(), 'content') : options.directory;
  const local = directory === null ? undefined : new LocalBlocks(directory);
  const kuboUrl = options.kubo === undefined ? environment['ASSAY_IPFS_API'] || null : options.kubo;
  const kubo =
    kuboUrl === null
      ? undefined
      : new KuboBlocks(endpoint(kuboUrl, options.kubo === undefined ? 'ASSAY_IPFS_API' : 'the Kubo node'));
  const listed =
    options.gateways ??
    (environment['ASSAY_IPFS_GATEWAYS'] ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean);
  const gateways = listed.map(
    (url) => new GatewayBlocks(endpoint(url, options.gateways === undefined ? 'ASSAY_IPFS_GATEWAYS' : 'the gateway')),
  );
  const keepers = [local, kubo].filter((keeper) => keeper !== undefined);
  const sources = [...keepers, ...gateways];
  if (sources.length === 0)
    throw new AssayError('BAD_OPTION', {
      option: 'content store',
      detail: 'name a directory, a Kubo node or a gateway',
    });
  const hint =
    kubo === undefined && gateways.length === 0
      ? 'Name a Kubo node ($ASSAY_IPFS_API) or gateways ($ASSAY_IPFS_GATEWAYS) to fetch it from.'
      : '';
  return createContentStore({ sources, keepers, fill: local, onFault: options.onFault, hint });
}

/** Parses an address that a user gave, which may be local and plain http. */
function endpoint(text: string, option: string): URL {
  const url = URL.parse(text);
  const plain =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '';
  if (!plain)
    throw new AssayError('BAD_OPTION', {
      option,
      detail: 'give a URL without credentials, such as http://127.0.0.1:5001',
    });
  return url;
}
