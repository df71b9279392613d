import { cookieDate } from './cookie-date.ts';
import { hostName, type Destination } from './request-target.ts';

type Cookie = {
  readonly name: string;
  readonly value: string | null;
  readonly domain: string;
  readonly path: string;
  readonly ports: readonly string[] | null;
  readonly secure: boolean;
  /** Seconds since 1970; null for a cookie of the session. */
  readonly expires: number | null;
};

type Attributes = Map<string, string | number | null>;

const PATH_SAFE = /[A-Za-z0-9_.~%/;:@&=+$,!*'()-]/;
const VALUED = new Set(['version', 'expires', 'max-age', 'domain', 'path', 'port', 'comment', 'commenturl']);

/**
 * The cookies of an answer, to be passed on to later requests, by the rules of Python's cookie jar over plain HTTP:
 * `Secure` ones are kept and never sent, a missing `Path` means the folder of the request, a domain must end as the
 * host does.
 */
export class CookieJar {
  #cookies: readonly Cookie[];

  constructor(cookies: readonly Cookie[] = []) {
    this.#cookies = cookies;
  }

  get size(): number {
    return this.#cookies.length;
  }

  /** Names and values, in the order of their arrival. */
  entries(): [name: string, value: string | null][] {
    return this.#cookies.map((cookie) => [cookie.name, cookie.value]);
  }

  /**
   * This jar after the `Set-Cookie` headers of an answer from there. What they delete is deleted before anything they
   * set is set.
   */
  with(headers: readonly string[], from: Destination): CookieJar {
    const now = Math.floor(Date.now() / 1000);
    const kept = new Map(this.#cookies.map((cookie) => [keyOf(cookie), cookie]));
    const found = parseCookies(headers, from, now);
    const isOver = ({ expires }: Cookie): boolean => expires !== null && expires <= now;
    for (const cookie of found.filter(isOver)) kept.delete(keyOf(cookie));
    for (const cookie of found) {
      if (!isOver(cookie) && mayStore(cookie, from)) kept.set(keyOf(cookie), cookie);
    }
    return new CookieJar([...kept.values()]);
  }

  /** The `Cookie` header for a request; null when none is sent. */
  headerFor(to: Destination): string | null {
    const now = Math.floor(Date.now() / 1000);
    const path = requestPath(to);
    const fitting = this.#byDomain().filter((cookie) => maySend(cookie, to, path, now));
    fitting.sort((a, b) => b.path.length - a.path.length);
    if (fitting.length === 0) return null;
    return fitting.map(({ name, value }) => (value === null ? name : `${name}=${value}`)).join('; ');
  }

  #byDomain(): Cookie[] {
    const groups = new Map<string, Cookie[]>();
    for (const group of ['domain', 'path'] as const) {
      const cookies = groups.size === 0 ? this.#cookies : [...groups.values()].flat();
      groups.clear();
      for (const cookie of cookies) {
        const key = group === 'domain' ? cookie.domain : `${cookie.domain}\n${cookie.path}`;
        groups.set(key, [...(groups.get(key) ?? []), cookie]);
      }
    }
    return [...groups.values()].flat();
  }
}

function keyOf({ domain, path, name }: Cookie): string {
  return JSON.stringify([domain, path, name]);
}

function escapePath(path: string): string {
  let escaped = '';
  for (const byte of Buffer.from(path, 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped +=
      byte < 128 && PATH_SAFE.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
}

function requestPath({ resource }: Destination): string {
  const path = escapePath(/^[^?#]*/.exec(resource)?.[0] ?? '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** A name without a dot counts as one of the local network. */
function effectiveHost(origin: string): string {
  const name = hostName(origin);
  return name.includes('.') ? name : `${name}.local`;
}

function integer(text: string): number | null {
  return /^\s*[-+]?\d+(?:_\d+)*\s*$/.test(text) ? Number(text.replaceAll('_', '')) : null;
}

function unquoted(text: string): string {
  return text.replace(/^"/, '').replace(/"$/, '');
}

/** Thrown at what makes Python's jar give up all cookies of an answer. */
class SpoiledAnswer extends Error {}

/** The attributes that count, the first of each; null when one of them spoils the cookie. */
function parseAttributes(parts: readonly string[], now: number): Attributes | null {
  const attributes: Attributes = new Map();
  let aged = false;
  for (const part of parts) {
    const at = part.indexOf('=');
    const key = (at < 0 ? part : part.slice(0, at)).trim().toLowerCase();
    const value = at < 0 ? null : part.slice(at + 1).trim();
    if (key === 'secure' && !attributes.has(key)) attributes.set(key, value === '' ? 0 : 1);
    const standard = key === 'max-age' ? 'expires' : key;
    if (!VALUED.has(key) || attributes.has(key)) continue;
    if (key === 'expires') {
      const date = value === null || aged ? null : cookieDate(unquoted(value));
      if (date !== null) attributes.set(standard, date);
      continue;
    }
    if (key === 'max-age' && value === null) throw new SpoiledAnswer();
    if (value === null && !/^(?:port|comment|commenturl)$/.test(key)) return null;
    if (key === 'max-age') {
      const seconds = integer(value ?? '');
      if (seconds === null) return null;
      aged = true;
      attributes.set(standard, now + seconds);
    } else {
      attributes.set(standard, key === 'domain' ? (value ?? '').toLowerCase() : value);
    }
  }
  return attributes;
}

function parseCookies(headers: readonly string[], from: Destination, now: number): Cookie[] {
  try {
    return headers.map((header) => parseCookie(header, from, now)).filter((cookie) => cookie !== null);
  } catch (error) {
    if (error instanceof SpoiledAnswer) return [];
    throw error;
  }
}

function parseCookie(header: string, from: Destination, now: number): Cookie | null {
  const [pair = '', ...parts] = header.split(';');
  const at = pair.indexOf('=');
  const name = (at < 0 ? pair : pair.slice(0, at)).trim();
  if (name === '') return null;
  const raw = at < 0 ? null : pair.slice(at + 1).trim();
  const attributes = parseAttributes(parts, now);
  const version = integer(unquoted(String(attributes?.get('version') ?? '0')));
  if (attributes === null || (version !== 0 && version !== 1)) return null;
  const domain = attributes.get('domain');
  const expires = attributes.get('expires');
  return {
    name,
    value: raw !== null && /^".*"$/s.test(raw) ? raw.replaceAll('\\"', '') : raw,
    domain: typeof domain === 'string' ? (domain.startsWith('.') ? domain : `.${domain}`) : effectiveHost(from.origin),
    path: cookiePath(attributes.get('path'), from, version),
    ports: cookiePorts(attributes, from),
    secure: attributes.get('secure') === 1,
    expires: typeof expires === 'number' ? expires : null,
  };
}

function cookiePath(given: string | number | null | undefined, from: Destination, version: number): string {
  if (typeof given === 'string' && given !== '') return escapePath(given);
  const path = requestPath(from);
  const end = path.lastIndexOf('/');
  return path.slice(0, version === 0 ? end : end + 1) || '/';
}

function ownPort(origin: string): string {
  return /:(\d+)$/.exec(origin)?.[1] ?? '80';
}

function cookiePorts(attributes: Attributes, from: Destination): string[] | null {
  if (!attributes.has('port')) return null;
  const given = attributes.get('port');
  return typeof given === 'string' ? given.replace(/\s+/g, '').split(',') : [ownPort(from.origin)];
}

function mayStore(cookie: Cookie, from: Destination): boolean {
  const host = effectiveHost(from.origin);
  if (cookie.ports !== null && !cookie.ports.includes(ownPort(from.origin))) return false;
  if (cookie.domain === host) return true;
  const bare = cookie.domain.slice(1);
  if (!bare.includes('.') && !host.endsWith('.local')) return false;
  return `.${host}`.endsWith(cookie.domain) || host.endsWith(`${bare}.local`);
}

function maySend(cookie: Cookie, to: Destination, path: string, now: number): boolean {
  if (cookie.secure || (cookie.expires !== null && cookie.expires <= now)) return false;
  if (cookie.ports !== null && !cookie.ports.includes(ownPort(to.origin))) return false;
  const dotted = cookie.domain.startsWith('.') ? cookie.domain : `.${cookie.domain}`;
  if (!`.${effectiveHost(to.origin)}`.endsWith(dotted)) return false;
  if (path === cookie.path) return true;
  return path.startsWith(cookie.path) && (cookie.path.endsWith('/') || path[cookie.path.length] === '/');
}
