import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol';

/** Location of a repository, before any of it is examined. */
export type SourceLocation = { kind: 'local'; path: string } | { kind: 'remote'; url: string };

const SCHEMES = new Set(['https', 'http', 'ssh', 'git']);
/** Protocols that git may use for them; helpers such as `ext` and `fd` are excluded. */
export const ALLOWED_PROTOCOLS = [...SCHEMES].join(':');

/**
 * Decides whether a source is a directory or a URL. `localExists` says whether a path exists, since `a:b` may be a path
 * or `host:path`. Throws `REPOSITORY_REFUSED` for anything that could make git run something: remote helpers, arguments
 * that look like options, other schemes, control characters.
 */
export function locateSource(source: string, localExists: (path: string) => boolean): SourceLocation {
  if (source === '') throw refused(source, 'it is empty');
  if (/\p{Cc}/u.test(source) || !source.isWellFormed()) throw refused(source, 'it holds control characters');
  if (source.startsWith('-')) throw refused(source, 'it begins with a dash');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(source)?.[1]?.toLowerCase();
  if (scheme === 'file') return { kind: 'local', path: pathOfFileUrl(source) };
  if (scheme !== undefined) return { kind: 'remote', url: checkUrl(source, scheme) };
  if (localExists(source)) return { kind: 'local', path: resolve(source) };
  if (/^[A-Za-z0-9+.-]*::/.test(source)) throw refused(source, 'remote helpers run programs');
  if (/^[^/]+:/.test(source)) return { kind: 'remote', url: checkScpForm(source) };
  return { kind: 'local', path: resolve(source) };
}

function pathOfFileUrl(source: string): string {
  try {
    const path = fileURLToPath(source);
    if (!/\p{Cc}/u.test(path)) return path;
  } catch (error) {
    throw refused(source, error instanceof Error ? error.message : String(error));
  }
  throw refused(source, 'it holds control characters');
}

function checkUrl(source: string, scheme: string): string {
  if (!SCHEMES.has(scheme)) throw refused(source, `the scheme ${scheme} is not allowed`);
  if (!URL.canParse(source)) throw refused(source, 'it is no URL');
  const url = new URL(source);
  const parts = [url.hostname, url.username].map((part) => decodeSafely(part));
  // Git and `URL` read these differently.
  if (source.includes('\\')) throw refused(source, 'it holds a backslash');
  if (url.hostname === '' || /^[^:]+:\/\/\//.test(source)) throw refused(source, 'it names no host');
  if (parts.some((part) => part.startsWith('-'))) throw refused(source, 'its host or user begins with a dash');
  if (parts.some((part) => /\p{Cc}/u.test(part)) || /%0[0-9a-d]|%1[0-9a-f]/i.test(source))
    throw refused(source, 'it holds control characters');
  return source;
}

function checkScpForm(source: string): string {
  const match = /^(?:([^@/:]+)@)?([^@/:]+|\[[^\]/]+\]):(.+)$/s.exec(source);
  if (!match) throw refused(source, 'it is neither a directory nor a URL');
  if (match.slice(1).some((part) => part?.startsWith('-')))
    throw refused(source, 'its host, user or path begins with a dash');
  return source;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refused(source: string, detail: string): AssayError {
  return new AssayError('REPOSITORY_REFUSED', { url: printable(redact(source)), detail });
}

/** Removes user, password, query and fragment from a URL, or from every URL in a text. */
export function redact(text: string): string {
  return text
    .replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s@]*@(?:[^/\s@]*@)*/g, '$1')
    .replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*/g, '$1');
}

/** Makes foreign text one line that does nothing to a terminal. */
export function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 500);
}

/** Returns a short neutral name: the last part of a path or URL. */
export function nameOfSource(location: SourceLocation): string {
  const text = location.kind === 'local' ? location.path : redact(location.url);
  const parts = text
    .split(/[/:\\]/)
    .map((part) => part.replace(/\.git$/i, ''))
    .filter((part) => part !== '');
  const name = (parts.at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 64);
  return name === '' ? 'repository' : name;
}

/** Returns the origin as a task may state it: a URL without credentials, or only the name of a directory. */
export function originOfSource(location: SourceLocation): string {
  return location.kind === 'remote' ? redact(location.url) : `local:${nameOfSource(location)}`;
}

/** Returns a source as another process of this machine finds it: an absolute path, or a URL without credentials. */
export function shareableSource(location: SourceLocation): string {
  return location.kind === 'remote' ? redact(location.url) : location.path;
}
