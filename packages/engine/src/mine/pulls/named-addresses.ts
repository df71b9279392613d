import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { readAddress, type HostAddress } from '../told/address.ts';
import type { PullNotes } from './pull-notes.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the addresses of a file, one a line; empty lines and those that begin with `#` say nothing. Throws `BAD_OPTION`
 * for a line that is no address of a pull request, an issue or a commit.
 */
export async function readNamed(path: string, signal?: AbortSignal): Promise<HostAddress[]> {
  const unusable = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--from-urls', detail });
  const content = await readFile(path, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw unusable(
      `${path} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'})`,
    );
  });
  if (content.length > MAX_BYTES) throw unusable(`${path} is larger than ${MAX_BYTES} bytes`);
  const found = new Map<string, HostAddress>();
  for (const [index, line] of content.toString('utf8').split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const address = readAddress(line);
    if (!address?.thing)
      throw unusable(`line ${index + 1} of ${path} is no address of a pull request, an issue or a commit`);
    found.set(JSON.stringify(address), address);
  }
  if (found.size === 0) throw unusable(`${path} names nothing`);
  return [...found.values()];
}

/**
 * Leaves out and tells what is of another repository than one of `own`, its addresses. Throws `BAD_OPTION` when nothing is
 * left, and for numbers of several repositories when nobody knows which of them is mined.
 */
export function namedHere(named: readonly HostAddress[], own: ReadonlySet<string>, notes: PullNotes): HostAddress[] {
  const unusable = (detail: string): AssayError => new AssayError('BAD_OPTION', { option: '--from-urls', detail });
  const places = new Set(named.filter(({ thing }) => thing?.kind !== 'commit').map(({ repository }) => repository));
  if (own.size === 0) {
    if (places.size < 2) return [...named];
    throw unusable(`it names ${[...places].slice(0, 3).join(', ')}, and which of them is mined is not known`);
  }
  const here = named.filter(({ repository }) => own.has(repository));
  const [other] = places;
  if (here.length === 0) throw unusable(`it names ${other ?? named[0]?.repository}, and ${[...own][0]} is mined`);
  for (const { repository, thing } of named)
    if (!own.has(repository)) notes.leaveOut(`${repository} ${nameOf(thing)}: of another repository`);
  return here;
}

/** What is asked for, for people. */
export function nameOf(thing: HostAddress['thing']): string {
  if (thing === null) return '';
  if (thing.kind === 'commit') return thing.commit.slice(0, 10);
  return `${thing.kind === 'issue' ? 'issue ' : ''}#${thing.number}`;
}
