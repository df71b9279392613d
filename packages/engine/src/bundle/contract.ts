import picomatch from 'picomatch';
import { OUTPUT_DIRECTORIES, OUTPUT_FILE_ENDS, OUTPUT_FILES } from '../files/build-output.ts';
import type { TaskContent } from './task.ts';

/**
 * `tests/contract.json`: all that the grader in Harbor's verifier image needs to know. Rules about paths are regular expressions over the
 * whole path, `.` matching line breaks too, in a form that JavaScript and Python read alike: the grader brings no library for globs.
 */
export interface Contract {
  version: 1;
  test: TaskContent['meta']['test'];
  /** Ids of which each must be recorded as passed exactly once. */
  expected: string[];
  /** Files that stay as at T0. */
  steering: string[];
  /** Output of tools: no part of a submission unless T0 has the path. */
  output: string[];
  /** What Harbor does not carry over to the verifier, so that its absence says nothing. */
  notCarried: string[];
}

export function contractOf(meta: TaskContent['meta']): Contract {
  return {
    version: 1,
    test: meta.test,
    expected: [...meta.fail_to_pass, ...meta.pass_to_pass],
    steering: meta.steering.map((glob) => picomatch.makeRe(glob, { dot: true }).source),
    output: outputExpressions(),
    notCarried: [`(?:${NOT_CARRIED_AT_TOP.map(literal).join('|')})/.*`, below(NOT_CARRIED_ANYWHERE)],
  };
}

const NOT_CARRIED_AT_TOP = ['.git', 'node_modules'];
const NOT_CARRIED_ANYWHERE = ['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox', '.venv'];

/**
 * What Harbor shall leave behind when it carries the workspace over, as patterns of tar: git data, and what may be large and is no part of a
 * submission. Links of T0 that point outside would make Harbor drop everything.
 */
export function notCarriedPatterns(linksOutside: readonly string[]): string[] {
  return [
    ...NOT_CARRIED_AT_TOP.map((name) => `./${name}`),
    ...NOT_CARRIED_ANYWHERE,
    ...linksOutside.map((path) => `./${path.replace(/[\\*?[\]]/g, '\\$&')}`),
  ];
}

/** The rules of `isOutputDirectory` and `isOutputFile`. */
function outputExpressions(): string[] {
  const names = [...OUTPUT_FILES].map(literal);
  const ends = OUTPUT_FILE_ENDS.map((end) => `[^/]*${literal(end)}`);
  return [below(OUTPUT_DIRECTORIES), '(?:.*/)?[^/]*\\.egg-info/.*', `(?:.*/)?(?:${[...names, ...ends].join('|')})`];
}

const below = (names: Iterable<string>): string => `(?:.*/)?(?:${[...names].map(literal).join('|')})/.*`;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
