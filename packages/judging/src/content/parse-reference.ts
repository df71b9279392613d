import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol';
import { isContentId, parseContentId } from './content-id.ts';

/** A reference to content, as given by a user, a document or a chain. */
export type ContentReference =
  /** A file of this machine. */
  | { kind: 'file'; path: string }
  /** `path` leads through directories, and is empty for the CID's own content. */
  | { kind: 'cid'; cid: string; path: string }
  | { kind: 'url'; url: string }
  /** The sha2-256 of the content, in lower case hexadecimal digits. */
  | { kind: 'sha256'; sha256: string }
  /** The content itself. */
  | { kind: 'inline'; bytes: Buffer };

const SCHEME = /^([a-z][a-z0-9+.-]+):/i;
const SHA256 = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Reads a reference: a CID, `ipfs://CID[/path]`, `/ipfs/CID[/path]`, `https://…`, `http://…`, `sha256:HEX`,
 * `eval:BASE64` (the content itself), `file://…`, or else a path. A file that is called like a CID is `./NAME`. Throws
 * `CONTENT_REFERENCE_INVALID`.
 */
export function parseReference(text: string): ContentReference {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.includes('\0')) throw invalid(text, 'it is empty or holds a NUL');
  const ipfs = /^(?:ipfs:\/\/|\/ipfs\/)(.*)$/is.exec(trimmed)?.[1];
  if (ipfs !== undefined) return parseIpfs(ipfs.replace(/^ipfs\//, ''), text);
  const scheme = SCHEME.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined) return parseScheme(scheme, trimmed);
  if (isContentId(trimmed)) return { kind: 'cid', cid: parseContentId(trimmed).toString(), path: '' };
  return { kind: 'file', path: trimmed };
}

function parseScheme(scheme: string, text: string): ContentReference {
  const rest = text.slice(scheme.length + 1);
  switch (scheme) {
    case 'https':
    case 'http': {
      const url = URL.parse(text);
      if (url === null) throw invalid(text, 'it is no URL');
      if (url.username !== '' || url.password !== '')
        throw invalid(`${scheme}://${url.host}`, 'a URL with credentials');
      return { kind: 'url', url: url.href };
    }
    case 'sha256':
      if (!SHA256.test(rest)) throw invalid(text, 'sha256: takes 64 hexadecimal digits');
      return { kind: 'sha256', sha256: rest.toLowerCase() };
    case 'eval':
      if (!BASE64.test(rest)) throw invalid(text, 'eval: takes base64');
      return { kind: 'inline', bytes: Buffer.from(rest, 'base64') };
    case 'file':
      return { kind: 'file', path: filePath(text) };
    default:
      throw invalid(text, `nothing is known of ${scheme}:. Give a path, a CID, ipfs://, https://, sha256: or eval:`);
  }
}

function parseIpfs(rest: string, text: string): ContentReference {
  const [cid = '', ...names] = rest.replace(/[?#].*$/s, '').split('/');
  if (cid === '') throw invalid(text, 'no CID follows');
  const path = names.filter((name) => name !== '').map((name) => decodeName(name, text));
  if (path.some((name) => name === '.' || name === '..' || name.includes('/')))
    throw invalid(text, 'its path has a component that is no name');
  return { kind: 'cid', cid: parseContentId(cid).toString(), path: path.join('/') };
}

function decodeName(name: string, text: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw invalid(text, 'its path is badly encoded');
  }
}

function filePath(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw invalid(text, 'it names no file of this machine');
  }
}

function invalid(text: string, detail: string): AssayError {
  return new AssayError('CONTENT_REFERENCE_INVALID', { reference: JSON.stringify(text.slice(0, 100)), detail });
}
