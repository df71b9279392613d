import type { TestCommand } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { SourceText } from '../../ecosystems/split-facet.ts';
import type { ExpectedTests } from '../score-results.ts';

/** Returns the files of a change that are UTF-8 and wanted. */
export function textsOf({ files }: ChangeSet, wants: (path: string) => boolean): SourceText[] {
  return files.flatMap(({ path, content }) => {
    const text = content.toString('utf8');
    return wants(path) && Buffer.from(text).equals(content) ? [{ path, text }] : [];
  });
}

/** Returns those of some files that T0 has. */
export function textsAtT0(t0Directory: string, paths: readonly string[]): SourceText[] {
  return paths.flatMap((path) => {
    const content = readRegularFileBelow(t0Directory, path);
    return content === null ? [] : [{ path, text: content.toString('utf8') }];
  });
}

interface FixRequest {
  command: Pick<TestCommand, 'ecosystem'>;
  expected: Pick<ExpectedTests, 'failToPass'>;
  hidden: ChangeSet;
}

/** Texts of the hidden files with tests of the fix. */
export function fixFiles({ command, expected, hidden }: FixRequest): SourceText[] {
  const { tests } = ecosystemOf(command.ecosystem);
  const files = new Set(expected.failToPass.map((id) => tests.splitId(id).file));
  return textsOf(hidden, (path) => files.has(path));
}
