import picomatch from 'picomatch';
import { OUTPUT_DIRECTORIES, OUTPUT_FILE_ENDS, OUTPUT_FILES } from '@assay/files/build-output';
import { controlFiles, insideFiles, type SplitOracle } from './split-oracle.ts';
import type { TaskContent } from './task.ts';

/**
 * `tests/contract.json`: everything that the grader in Harbor's verifier image needs to know. Path rules are regular
 * expressions over the whole path, in which `.` matches line breaks too, written so that JavaScript and Python read
 * them alike: the grader has no glob library.
 */
export interface Contract {
  version: 1;
  test: TaskContent['meta']['test'];
  /** Ids that must each be recorded as passed exactly once. */
  expected: string[];
  /** Files that keep their T0 version. */
  steering: string[];
  /** Output of tools; not part of a submission unless T0 has the path. */
  output: string[];
  /** Only where the hidden tests were taken apart: test files with tests as they were written, and with a control. */
  split?: { inside: string[]; control: string[] };
}

export function contractOf(meta: TaskContent['meta'], split: SplitOracle | null = null): Contract {
  return {
    version: 1,
    test: meta.test,
    expected: [...meta.fail_to_pass, ...meta.pass_to_pass],
    steering: meta.steering.map((glob) => picomatch.makeRe(glob, { dot: true }).source),
    output: outputExpressions(),
    split: split
      ? { inside: insideFiles(split.plan, meta.test), control: controlFiles(split.plan, meta.test) }
      : undefined,
  };
}

/** Returns the rules of `isOutputDirectory` and `isOutputFile` as expressions. */
function outputExpressions(): string[] {
  const names = [...OUTPUT_FILES].map(literal);
  const ends = OUTPUT_FILE_ENDS.map((end) => `[^/]*${literal(end)}`);
  return [below(OUTPUT_DIRECTORIES), '(?:.*/)?[^/]*\\.egg-info/.*', `(?:.*/)?(?:${[...names, ...ends].join('|')})`];
}

const below = (names: Iterable<string>): string => `(?:.*/)?(?:${[...names].map(literal).join('|')})/.*`;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
