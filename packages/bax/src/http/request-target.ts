import { HttpFailure } from './http-failure.ts';
import { pythonText, type PythonScalar } from './python-values.ts';

/** Values of a query or of a form, in order. A value that is undefined is left out; a list repeats its key. */
export type Parameters = { readonly [key: string]: PythonScalar | readonly PythonScalar[] | undefined };

/**
 * Where a request goes: `origin` is `host:port`, `resource` what follows it, without a fragment's meaning to the
 * server.
 */
export type Destination = { readonly origin: string; readonly resource: string };

const PATH_SAFE = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~!$&'()*+,;=:@/");
const QUERY_SAFE = new Set([...PATH_SAFE, ...bytesOf('?')]);
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
const UNRESERVED_BYTES = bytesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~');
const REQUOTE_SAFE = new Set([...UNRESERVED_BYTES, ...bytesOf("!#$%&'()*+,/:;=?@[]~")]);
const PERCENT = 0x25;

function bytesOf(text: string): Set<number> {
  return new Set(Buffer.from(text, 'latin1'));
}

function percentEncode(text: string, safe: ReadonlySet<number>): string {
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    encoded += safe.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** Escapes what may not stand there; escapes already there are kept, in capitals, if every `%` begins one. */
function encodeInvalid(text: string, safe: ReadonlySet<number>): string {
  let escapes = 0;
  const raised = text.replace(/%[a-fA-F0-9]{2}/g, (escape) => {
    escapes += 1;
    return escape.toUpperCase();
  });
  const percents = raised.split('%').length - 1;
  return percentEncode(raised, escapes === percents ? new Set([...safe, PERCENT]) : safe);
}

function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  if (path.startsWith('/') && (kept.length === 0 || kept[0] !== '')) kept.unshift('');
  if (/\/\.\.?$/.test(path)) kept.push('');
  return kept.join('/');
}

/**
 * Decodes escapes of characters that need none and escapes what is not allowed; a text with broken escapes is escaped
 * whole.
 */
function requote(text: string): string {
  const [first = '', ...rest] = text.split('%');
  const parts = rest.map((part) => {
    const hex = part.slice(0, 2);
    if (!/^[\p{L}\p{N}]{2}$/u.test(hex)) return `%${part}`;
    if (!/^[0-9a-fA-F]{2}$/.test(hex)) return null;
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character + part.slice(2) : `%${part}`;
  });
  if (!parts.includes(null)) return percentEncode(first + parts.join(''), REQUOTE_SAFE);
  const safe = new Set(REQUOTE_SAFE);
  safe.delete(PERCENT);
  return percentEncode(text, safe);
}

/** `urlencode` of Python: spaces as `+`, all but letters, digits and `_.-~` escaped, booleans as `True`. */
export function encodeParameters(parameters: Parameters): string {
  const quote = (text: string): string =>
    percentEncode(text, new Set([...UNRESERVED_BYTES, 0x20])).replaceAll(' ', '+');
  return Object.entries(parameters)
    .flatMap(([key, value]) => {
      const values: readonly PythonScalar[] = value === undefined ? [] : isList(value) ? value : [value];
      return values.map((each) => `${quote(key)}=${quote(pythonText(each))}`);
    })
    .join('&');
}

function isList(value: PythonScalar | readonly PythonScalar[]): value is readonly PythonScalar[] {
  return Array.isArray(value);
}

/**
 * The resource that python-requests asks for when it is given this path and query: dot segments are gone, then `%2e`
 * becomes a dot, an empty query and its mark are dropped, what is illegal is escaped.
 * @param path - begins with a slash; may hold a query and a fragment.
 */
export function normalResource(path: string, query?: Parameters): string {
  if (!path.startsWith('/')) throw new HttpFailure('request', 'a path begins with a slash', 'connect');
  const [, text = '', own = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(path) ?? [];
  const clean = encodeInvalid(withoutDotSegments(text), PATH_SAFE);
  const queries = [encodeInvalid(own, QUERY_SAFE), encodeParameters(query ?? {})]
    .filter((each) => each !== '')
    .join('&');
  const anchor = encodeInvalid(fragment, QUERY_SAFE);
  return requote(`${clean}${queries === '' ? '' : `?${queries}`}${anchor === '' ? '' : `#${anchor}`}`);
}

/** The form of a resource in the request line: legal characters only, no fragment, one leading slash. */
export function requestTarget(resource: string): string {
  const [, path = '', query = ''] = /^([^?#]*)(?:\?([^#]*))?/.exec(resource.replace(/[\t\r\n]/g, '')) ?? [];
  const line = `${path === '' ? '/' : path}${query === '' ? '' : `?${query}`}`.replace(/^\/\/+/, '/');
  const [, before = '', after] = /^([^?]*)(?:\?(.*))?$/s.exec(line) ?? [];
  return encodeInvalid(before, PATH_SAFE) + (after === undefined ? '' : `?${encodeInvalid(after, QUERY_SAFE)}`);
}

const OWN_NAMES = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])$/;

function splitOrigin(origin: string): { name: string; port: string } {
  const [, name = '', port = ''] = /^(.*?)(?::(\d*))?$/.exec(origin.toLowerCase()) ?? [];
  return { name, port: port === '' ? '80' : String(Number(port)) };
}

/** The name of an origin, without its port, in small letters. */
export function hostName(origin: string): string {
  return splitOrigin(origin).name;
}

function joinPath(base: string, path: string): string {
  const parents = base.split('/');
  if (parents.at(-1) !== '') parents.pop();
  const steps = path.split('/');
  const joined = [...parents, ...steps];
  const segments = path.startsWith('/')
    ? steps
    : joined.filter((each, index) => index === 0 || index === joined.length - 1 || each !== '');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  if (/^\.\.?$/.test(segments.at(-1) ?? '')) kept.push('');
  return `/${kept.join('/').replace(/^\//, '')}`;
}

/** Python reads the header as Latin-1 and a location in it as UTF-8. */
function locationText(location: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(location, 'latin1'));
  } catch {
    throw new HttpFailure('garbage', 'a redirect to what is not UTF-8');
  }
}

/**
 * Where a redirect leads.
 * @param location - the header's value as it came, one character a byte.
 * @throws HttpFailure `elsewhere` when that is not the same port of this machine: nobody else is ever spoken to.
 */
export function followLocation(from: Destination, location: string): Destination {
  const text = locationText(location)
    .replace(/^[\0- ]+/, '')
    .replace(/[\t\r\n]/g, '');
  const [, scheme = 'http', network, rest = ''] =
    /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?(.*)$/is.exec(text) ?? [];
  if (scheme.toLowerCase() !== 'http') throw new HttpFailure('elsewhere', 'a redirect to another protocol');
  if (network !== undefined && network !== '') {
    const target = splitOrigin(network.slice(network.lastIndexOf('@') + 1));
    const own = splitOrigin(from.origin);
    if (target.port !== own.port || (target.name !== own.name && !OWN_NAMES.test(target.name))) {
      throw new HttpFailure('elsewhere', 'a redirect to another host');
    }
    return { origin: target.port === '80' ? target.name : `${target.name}:${target.port}`, resource: requote(rest) };
  }
  const [, basePath = '', baseQuery = ''] = /^([^?#]*)(\?[^#]*)?/.exec(from.resource) ?? [];
  const [, whole = '', query = ''] = /^([^?#]*)(\?[^#]+)?/.exec(requote(rest)) ?? [];
  const path = whole.replace(/(^|\/)([^/;]*);$/, '$1$2');
  const found = path === '' ? basePath + (query === '' ? baseQuery : query) : joinPath(basePath, path) + query;
  return { origin: from.origin, resource: found };
}
