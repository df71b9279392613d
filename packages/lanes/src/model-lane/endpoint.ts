import net, { isIP } from 'node:net';
import { AssayError } from '@assay/protocol';
import type { ModelDialect } from './contract.ts';
import { LANE_DIALECTS } from './dialects/lane-dialects.ts';

const CONNECT_MS = 5000;

/**
 * An address of a model service. Throws `BAD_OPTION` for what is no http address, or holds credentials, a query or a
 * fragment.
 */
export function parseEndpoint(endpoint: string): URL {
  const bad = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--endpoint', detail });
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw bad('give an http or https address, such as https://host/v1');
  if (url.username !== '' || url.password !== '')
    throw bad('an address holds no credentials: put the key into ASSAY_MODEL_KEY');
  if (url.search !== '' || url.hash !== '') throw bad('give it without a query and a fragment');
  return url;
}

/** Throws `BAD_OPTION` when nothing listens there. A host that is reached by a configured proxy is not tried. */
export async function assertReachable(url: URL): Promise<void> {
  if (isProxied(url)) return;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const socket = net.connect({ host: hostOf(url), port, timeout: CONNECT_MS });
  try {
    await new Promise<void>((resolve, reject) => {
      socket
        .once('connect', () => resolve())
        .once('error', reject)
        .once('timeout', () => reject(new Error(`no connection within ${CONNECT_MS} ms`)));
    });
  } catch (error) {
    throw new AssayError('BAD_OPTION', {
      option: '--endpoint',
      detail: `${url.origin} cannot be reached (${failureCode(error)})`,
    });
  } finally {
    socket.destroy();
  }
}

/**
 * The key in `ASSAY_MODEL_KEY`, else in the variables of the dialects, in order. Undefined when there is none. Throws
 * `BAD_OPTION` for what is no key; the message does not show it.
 */
export function findModelKey(
  dialects: readonly ModelDialect[],
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const variable = keyVariables(dialects).find((name) => (env[name] ?? '').trim() !== '');
  return variable === undefined ? undefined : checkKey(env[variable] ?? '', variable);
}

export function keyVariables(dialects: readonly ModelDialect[]): string[] {
  return [...new Set(['ASSAY_MODEL_KEY', ...dialects.flatMap((name) => LANE_DIALECTS[name].keyVariables)])];
}

/** Trims and checks a key. Throws `BAD_OPTION`. */
export function checkKey(key: string, option: string): string {
  const trimmed = key.trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(trimmed))
    throw new AssayError('BAD_OPTION', { option, detail: 'it holds characters that no key has' });
  return trimmed;
}

export function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

/** Returns whether the environment of this process names a proxy for such addresses. */
export function isProxied(url: URL): boolean {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  return !isLoopback(url) && [name, name.toUpperCase()].some((variable) => (process.env[variable] ?? '') !== '');
}

/** Returns a short code that contains no address. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.message.slice(0, 100);
}

function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}
