import { posix } from 'node:path';
import { normalizeName } from './declared-names.ts';

/** Contents of a requirements file and the files that it includes. */
export interface RequirementsFile {
  /** PEP 508 requirements, without hashes and comments. */
  requirements: string[];
  /** From `-c` files. */
  constraints: string[];
  /** Extras of the project itself, from lines such as `-e .[tests]`. */
  projectExtras: string[];
  /** Lines that no index can satisfy: URLs, version control, other directories. */
  skipped: string[];
}

const INCLUDE = /^(?:-r|--requirement|-c|--constraint)[\s=]*(\S+)/;
const MAX_DEPTH = 5;

/**
 * Reads a requirements file of a tree. `read` returns the text of a file by its path, or an empty string; it is never
 * called with a path that leads out of the tree.
 */
export async function readRequirements(
  path: string,
  read: (path: string) => Promise<string>,
  depth = 0,
): Promise<RequirementsFile> {
  const file: RequirementsFile = { requirements: [], constraints: [], projectExtras: [], skipped: [] };
  for (const line of logicalLines(await read(path))) {
    const include = INCLUDE.exec(line)?.[1];
    if (include !== undefined) {
      const target = posix.normalize(posix.join(posix.dirname(path), include));
      if (depth >= MAX_DEPTH || target.startsWith('..') || posix.isAbsolute(include)) continue;
      const inner = await readRequirements(target, read, depth + 1);
      if (/^(-c|--constraint)/.test(line)) file.constraints.push(...inner.requirements, ...inner.constraints);
      else merge(file, inner);
    } else {
      addLine(file, line);
    }
  }
  return file;
}

/** Adds one line, which may also come from tox.ini. */
export function addLine(file: RequirementsFile, line: string): void {
  const editable = line.replace(/^(-e|--editable)[\s=]*/, '');
  const project = /^\.(?:\/)?(?:\[([^\]]*)\])?$/.exec(editable);
  if (project)
    file.projectExtras.push(
      ...(project[1] ?? '')
        .split(',')
        .map((extra) => extra.trim())
        .filter(Boolean),
    );
  else if (line.startsWith('-')) {
    if (editable !== line) file.skipped.push(line);
  } else if (/^[A-Za-z0-9][\w.-]*\s*(\[[^\]]*\])?\s*(?:$|[<>=!~;(])/.test(line)) file.requirements.push(line);
  else file.skipped.push(line);
}

export function merge(into: RequirementsFile, from: RequirementsFile): void {
  into.requirements.push(...from.requirements);
  into.constraints.push(...from.constraints);
  into.projectExtras.push(...from.projectExtras);
  into.skipped.push(...from.skipped);
}

/** Whether every requirement names one exact version. Such a file was written by a resolver, so it is a lockfile. */
export function isPinned(file: RequirementsFile): boolean {
  return (
    file.requirements.length > 1 && file.requirements.every((line) => /^[^;]*===?\s*[^\s*;,]+\s*(;.*)?$/.test(line))
  );
}

/** Returns the normalised name at the start of a requirement. */
export function requirementName(requirement: string): string {
  return normalizeName(/^[A-Za-z0-9][\w.-]*/.exec(requirement)?.[0] ?? '');
}

/** Removes the versions from a requirement; a marker stays. */
export function withoutVersions(requirement: string): string {
  const name = /^[A-Za-z0-9][\w.-]*\s*(\[[^\]]*\])?/.exec(requirement)?.[0].trim() ?? requirement;
  const marker = /;.*$/.exec(requirement)?.[0];
  return marker === undefined ? name : `${name} ${marker}`;
}

function logicalLines(text: string): string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/(^|\s)#.*$/, '')
        .replace(/\s--hash[=\s]\S+/g, '')
        .trim(),
    )
    .filter((line) => line !== '');
}
