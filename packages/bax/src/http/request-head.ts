import { type CookieJar } from './cookie-jar.ts';
import { HttpFailure } from './http-failure.ts';
import { type RequestBody } from './request-body.ts';
import { hostName, requestTarget, type Destination } from './request-target.ts';

/** Headers in the order in which they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

const DEFAULTS: HeaderList = [
  ['User-Agent', 'python-requests/2.32.3'],
  ['Accept-Encoding', 'gzip, deflate'],
  ['Accept', '*/*'],
  ['Connection', 'keep-alive'],
];

function put(headers: HeaderList, name: string, value: string): HeaderList {
  const at = headers.findIndex(([each]) => each.toLowerCase() === name.toLowerCase());
  return at < 0 ? [...headers, [name, value]] : headers.with(at, [name, value]);
}

function has(headers: HeaderList, name: string): boolean {
  return headers.some(([each]) => each.toLowerCase() === name);
}

export function withoutHeaders(headers: HeaderList, ...names: readonly string[]): HeaderList {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()));
}

function checkHeader(name: string, value: string): void {
  const legal = /^[^:\s][^:\r\n]*$/.test(name) && /^(?:\S[^\r\n]*)?$/.test(value) && /^[\0-\xff]*$/.test(name + value);
  if (!legal)
    throw new HttpFailure('request', `no legal value of the header ${name.replace(/[^!-~]/g, '?')}`, 'connect');
}

/** The headers of a first request: the client's own, those asked for, cookies, what the body says of itself. */
export function firstHeaders(
  method: string,
  asked: Readonly<Record<string, string>>,
  cookie: string | null,
  body: RequestBody | null,
): HeaderList {
  let headers: HeaderList = DEFAULTS;
  for (const [name, value] of Object.entries(asked)) {
    checkHeader(name, value);
    headers = put(headers, name, value);
  }
  if (cookie !== null && !has(headers, 'cookie')) headers = put(headers, 'Cookie', cookie);
  if (body !== null) headers = put(headers, 'Content-Length', String(body.bytes));
  else if (method !== 'GET' && method !== 'HEAD' && !has(headers, 'content-length'))
    headers = put(headers, 'Content-Length', '0');
  const type = body?.type ?? null;
  if (type !== null && !has(headers, 'content-type')) headers = put(headers, 'Content-Type', type);
  return headers;
}

/**
 * The headers of the request that a redirect asks for: without the body where that is dropped, with the cookies of now.
 */
export function redirectedHeaders(
  headers: HeaderList,
  { from, to, keepsBody, jar }: { from: Destination; to: Destination; keepsBody: boolean; jar: CookieJar },
): HeaderList {
  let next = withoutHeaders(headers, 'cookie');
  if (!keepsBody) next = withoutHeaders(next, 'content-length', 'content-type', 'transfer-encoding');
  if (hostName(from.origin) !== hostName(to.origin)) next = withoutHeaders(next, 'authorization');
  const cookie = jar.headerFor(to);
  return cookie === null ? next : put(next, 'Cookie', cookie);
}

const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'TRACE', 'OPTIONS', 'CONNECT']);

/** The bytes of a request before its body. */
export function headBytes(method: string, to: Destination, headers: HeaderList): Buffer {
  const first: HeaderList = has(headers, 'host') ? [] : [['Host', to.origin]];
  const length: HeaderList =
    has(headers, 'content-length') || WITHOUT_BODY.has(method) ? [] : [['Content-Length', '0']];
  const lines = [...first, ...length, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${requestTarget(to.resource)} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}
