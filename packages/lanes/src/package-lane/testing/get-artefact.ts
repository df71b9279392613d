import { ArtefactCache } from '../artefact-cache.ts';
import { DEFAULT_LANE_LIMITS } from '../contract.ts';
import { UpstreamClient } from '../fetch-upstream.ts';

/**
 * Gets one artefact into a cache, in a process of its own that a test may kill: `node get-artefact.ts CACHE URL
 * SHA256`.
 */
const [directory = '', address = '', hex = ''] = process.argv.slice(2);
const url = new URL(address);
const client = new UpstreamClient('pypi', { url, certificates: [] }, DEFAULT_LANE_LIMITS);
const cache = new ArtefactCache(directory);
await cache.open();
const artefact = await cache.get(client, url, { algorithm: 'sha256', hex }, DEFAULT_LANE_LIMITS.artefactBytes);
process.stdout.write(`${artefact?.path ?? ''}\n`);
client.close();
