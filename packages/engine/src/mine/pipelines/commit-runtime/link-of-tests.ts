import { posix } from 'node:path';

/** A commit that may be a part of a fix with its tests. */
export interface Linked {
  commit: string;
  message: string;
  time: Date;
  /** Its files that count: of the fix its sources, of the other its tests. */
  paths: readonly string[];
  /** Their unified diff. */
  diff: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const NUMBER = /(?:#|\bgh-)(\d{1,9})\b/gi;
const TELLS_TESTS = /\b(?:unit ?)?(?:test(?:s|ed|ing|case|cases)?|specs?|regression|coverage|assertions?)\b/i;
/** Work on tests for their own sake. */
const OWN_SAKE =
  /^(?:tests?\b:? *)?(?:fix(?:e[sd])?|mov(?:e|es|ed)|re\w+|clean\w*|make|organi[sz]e|updat\w+|typo|split|sort|format|lint|port|convert|drop|delete|simplif\w+|uncomment|skip|mark|merge)\b/i;
/** Places where a name is made: a definition, a parameter's default, a member that is assigned. */
const DEFINED =
  /\b(?:def|class|function\*?|const|let|var|interface|type|enum)\s+([A-Za-z_$][\w$]*)|(?:\.|^\+\s*)([A-Za-z_$][\w$]*)\s*=(?!=)|([A-Za-z_$][\w$]*)\s*=\s*(?:None|True|False|\d|['"])/gm;
const MIN_NAME = 4;

/** Whether tests that came after a fix were written for it, by what both say and change. */
export function isLinked(fix: Linked, tests: Linked, distance: number): boolean {
  if (namesCommit(tests.message, fix.commit) || sharesNumber(fix.message, tests.message)) return true;
  if (usesNewName(fix.diff, tests.diff)) return true;
  const [subject = ''] = tests.message.trim().split('\n', 1);
  const isNext = distance === 1 && Math.abs(tests.time.getTime() - fix.time.getTime()) <= DAY_MS;
  if (!isNext || !TELLS_TESTS.test(subject) || OWN_SAKE.test(subject)) return false;
  const stems = new Set(fix.paths.map(stemOf));
  return tests.paths.some((path) => stemOf(path) !== '' && stems.has(stemOf(path)));
}

const namesCommit = (message: string, commit: string): boolean =>
  (message.match(/\b[0-9a-f]{7,40}\b/gi) ?? []).some((name) => commit.startsWith(name.toLowerCase()));

function sharesNumber(one: string, other: string): boolean {
  const numbers = new Set([...one.matchAll(NUMBER)].map(([, number]) => number));
  return [...other.matchAll(NUMBER)].some(([, number]) => numbers.has(number));
}

/** Whether tests begin to use a name that the fix makes and that its files did not hold around it. */
function usesNewName(fix: string, tests: string): boolean {
  const made = new Set(
    [...added(fix).matchAll(DEFINED)].map(([, definition, member, other]) => definition ?? member ?? other ?? ''),
  );
  const [old, oldTests, used] = [before(fix), before(tests), added(tests)].map(wordsOf);
  return [...made].some(
    (name) => name.length >= MIN_NAME && !old?.has(name) && !oldTests?.has(name) && used?.has(name) === true,
  );
}

const added = (diff: string): string => linesOf(diff, /^\+(?!\+\+ )/);
const before = (diff: string): string => linesOf(diff, /^(?:[ -](?!-- )|@@)/);
const linesOf = (diff: string, pattern: RegExp): string =>
  diff
    .split('\n')
    .filter((line) => pattern.test(line))
    .join('\n');
const wordsOf = (text: string): Set<string> => new Set(text.match(/[A-Za-z_$][\w$]*/g));

/** What a source file and its tests are both called. */
function stemOf(path: string): string {
  const stem = posix
    .basename(path)
    .replace(/\.[a-z]+$/i, '')
    .replace(/^tests?[-_.]|[-_.](?:tests?|spec)$/gi, '')
    .toLowerCase();
  return /^(?:index|main|utils?|__init__|tests?|common|helpers?)$/.test(stem) ? '' : stem;
}
