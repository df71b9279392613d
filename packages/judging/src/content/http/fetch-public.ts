import { AssayError } from '@assay/protocol';
import { withDeadline } from '../deadline.ts';
import type { AddressRule, GuardedAnswer, GuardedRequest, Resolve } from './guarded-client.ts';
import { GuardedClient, refused, shown, unreachable } from './guarded-client.ts';
import { isPublicAddress } from './public-address.ts';

const MAX_REDIRECTS = 5;
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Which addresses that are not public may be dialled. `never`; `named`: by the origin that the user named and nothing
 * else, so not where it redirects to; `always`: all.
 */
export type LocalAccess = 'never' | 'named' | 'always';

export interface PublicFetchOptions {
  /** A longer body raises `CONTENT_TOO_LARGE`. */
  maxBytes: number;
  /** For everything, redirects included. Default 30 s. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** JSON to be sent by POST, to where it redirects, too. Absent: GET. */
  json?: string | undefined;
  /** Default `never`. */
  local?: LocalAccess | undefined;
  /** Default: the system's resolver. */
  resolve?: Resolve | undefined;
}

export interface FetchedDocument {
  bytes: Buffer;
  /** After redirects. */
  url: string;
  contentType: string;
}

/**
 * Fetches a document that somebody unknown may have named: https, from a public address, at each of at most five hops.
 * Plain http is for local addresses alone, and only where `local` allows them. Throws `ADDRESS_REFUSED`,
 * `CONTENT_TOO_LARGE`, `CONTENT_REFERENCE_INVALID` (no URL) and, for everything else that is not status 200 with a
 * whole body in time, `CONTENT_UNREACHABLE`; its details have the `status` of another answer, and `retryAfterMs`.
 */
export async function fetchPublic(address: string | URL, options: PublicFetchOptions): Promise<FetchedDocument> {
  const url = URL.parse(String(address));
  if (url === null)
    throw new AssayError('CONTENT_REFERENCE_INVALID', {
      reference: JSON.stringify(String(address).slice(0, 100)),
      detail: 'it is no URL',
    });
  const local = options.local ?? 'never';
  if (url.protocol === 'http:' && local === 'never')
    throw refused(url, 'plain http can be altered on its way; use https');
  const client = new GuardedClient({ refuse: addressRule(url, local), resolve: options.resolve });
  const { maxBytes, headers: own = {}, json, signal: given, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const headers = json === undefined ? own : { 'content-type': 'application/json', ...own };
  const sent = json === undefined ? {} : { method: 'POST' as const, body: Buffer.from(json) };
  try {
    const { answer, url: last } = await withDeadline({ signal: given, timeoutMs, reference: shown(url) }, (signal) =>
      followRedirects(client, url, { ...sent, maxBytes, signal, headers }),
    );
    if (answer.status !== 200) {
      const { status, retryAfterMs } = answer;
      const details = { reference: shown(last), detail: `it answered ${status}`, status };
      throw new AssayError('CONTENT_UNREACHABLE', retryAfterMs === null ? details : { ...details, retryAfterMs });
    }
    return { bytes: answer.bytes, url: last.href, contentType: answer.contentType };
  } finally {
    client.close();
  }
}

/**
 * The rule for what starts at `named`: see {@link LocalAccess}. `plainHttp` lets http go to public addresses too, for
 * what is verified otherwise.
 */
export function addressRule(named: URL, local: LocalAccess, plainHttp = false): AddressRule {
  return (address, url) => {
    if (isPublicAddress(address))
      return url.protocol === 'https:' || plainHttp ? null : 'plain http can be altered on its way; use https';
    if (local === 'always' || (local === 'named' && isOf(named, url))) return null;
    return `${address} is no public address`;
  };
}

/** Follows redirects, each checked like the first request. The answer may have any status that is no redirect. */
export async function followRedirects(
  client: GuardedClient,
  start: URL,
  request: GuardedRequest,
): Promise<{ answer: GuardedAnswer; url: URL }> {
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await client.request(url, request);
    if (answer.location === null) return { answer, url };
    const next = URL.parse(answer.location, url.href);
    if (next === null) throw unreachable(url, 'it redirects to something that is no address');
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw refused(next, `${url.host} redirects from https to http`);
    url = next;
  }
  throw unreachable(start, `more than ${MAX_REDIRECTS} redirects`);
}

/**
 * Whether a URL is of the origin that was named. `http://localhost:8080` has subdomains: Kubo's gateway puts every CID
 * on one.
 */
function isOf(named: URL, url: URL): boolean {
  if (url.origin === named.origin) return true;
  const subdomain = named.hostname === 'localhost' && url.hostname.endsWith('.localhost');
  return subdomain && url.protocol === named.protocol && url.port === named.port;
}
