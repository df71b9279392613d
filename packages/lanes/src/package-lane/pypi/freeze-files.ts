import { strongestHash, type ContentHash } from '../artefact-cache.ts';
import { isFileName, normalizePythonName } from '../names.ts';
import type { IndexFile } from './index-file.ts';

export interface VisibleFile extends IndexFile {
  version: string;
  hash: ContentHash;
}

/**
 * Projects whose publisher deleted the releases of their time and uploaded the last one anew. What T0 had is there only
 * under a later date; without it every pytest from 3.6 to 5.3 is out of reach, and a resolver falls back to an older
 * one than T0 ever ran.
 */
const UPLOADED_ANEW: ReadonlySet<string> = new Set(['atomicwrites']);

/**
 * The files of a project page that a client may see: wheels and source archives, of this project by their own name,
 * with a hash that can be checked, uploaded at or before `cutoff` (null: whenever). The time counts per file, because a
 * wheel may be added to an old release years later; a file whose time the index does not give is not visible, whatever
 * its siblings say.
 */
export function freezeFiles(project: string, files: IndexFile[], cutoff: Date | null): VisibleFile[] {
  const visible = new Map<string, VisibleFile>();
  const limit = UPLOADED_ANEW.has(normalizePythonName(project)) ? null : cutoff;
  for (const file of files) {
    const version = isFileName(file.filename) ? versionOf(project, file.filename) : null;
    const hash = strongestHash({ ...file.hashes, sha1: undefined });
    if (version === null || hash === null || visible.has(file.filename)) continue;
    if (limit !== null && (file.uploadedAt === null || file.uploadedAt > limit)) continue;
    visible.set(file.filename, { ...file, version, hash });
  }
  return [...visible.values()];
}

const SOURCE_ARCHIVE = /\.(?:tar\.gz|tgz|tar\.bz2|tar\.xz|zip)$/i;

/**
 * The version that a file name states, or null when the file is of another project or of a kind that installers no
 * longer take.
 */
export function versionOf(project: string, filename: string): string | null {
  if (/\.whl$/i.test(filename)) {
    const parts = filename.slice(0, -4).split('-');
    const [name = '', version] = parts;
    const own =
      (parts.length === 5 || parts.length === 6) && normalizePythonName(name) === normalizePythonName(project);
    return own && version ? version : null;
  }
  if (!SOURCE_ARCHIVE.test(filename)) return null;
  const stem = filename.replace(SOURCE_ARCHIVE, '');
  // Both halves may hold hyphens, so each one is tried as the border. A version starts with a digit: `a-b-1` is not of
  // `a`.
  for (let border = stem.indexOf('-'); border !== -1; border = stem.indexOf('-', border + 1)) {
    const version = stem.slice(border + 1);
    if (normalizePythonName(stem.slice(0, border)) === normalizePythonName(project) && /^v?\d/.test(version))
      return version;
  }
  return null;
}
