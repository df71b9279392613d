import { evaluate, rowOf } from './comparison.mjs';
import { printPure, quote } from './print-pure.mjs';
import { Rows } from './rows.mjs';

const SEPARATOR = ' > ';

/**
 * Gives every test of a file its `ids`, as the runner reported them, one for each row of its tables. A test that was not
 * run has none; one whose rows cannot be told apart from others' becomes `blocked`.
 */
export function matchIds(path, tests, ids) {
  const free = new Set(ids.filter((id) => id.startsWith(`${path}${SEPARATOR}`)));
  const seen = new Map();
  for (const test of tests.filter((each) => !each.blocked)) {
    const names = namesOf(test);
    if (names === null) continue;
    const found = names.map((name) => {
      const whole = [path, ...name].join(SEPARATOR);
      const count = (seen.get(whole) ?? 0) + 1;
      seen.set(whole, count);
      return count === 1 ? whole : `${whole} #${count}`;
    });
    const run = found.filter((id) => free.delete(id));
    if (run.length > 0 && run.length < found.length) test.blocked = 'not all of its rows were run';
    test.ids = run;
  }
  for (const test of tests.filter((each) => !each.ids && !each.blocked)) {
    const found = matching(path, test, free);
    const rows = test.levels.reduce((count, { table }) => count * (table?.rows.length ?? 1), 1);
    if (found.length > 0 && found.length !== rows) test.blocked = 'its ids cannot be told from those of other tests';
    test.ids = found;
    for (const id of found) free.delete(id);
  }
  for (const test of tests.filter((each) => !each.ids)) {
    test.ids = matching(path, test, free);
    for (const id of test.ids) free.delete(id);
  }
}

/** Titles of a test, for each row of the loops that it is in; null when they are not known. */
function namesOf({ levels }) {
  if (levels.some(({ pattern, table }) => pattern.text === undefined && table?.style !== 'loop')) return null;
  if (levels.some(({ table }) => table !== null && table.style !== 'loop')) return null;
  const rows = new Rows({ levels });
  const scope = { column: (node) => rows.column(node, scope), matching: () => false, isExpected: () => false };
  const codes = levels.map(({ pattern, title }) =>
    pattern.text === undefined ? printPure(title, scope) : quote(pattern.text),
  );
  if (codes.includes(null)) return null;
  try {
    return indicesOf(levels).map((indices) => {
      const row = rowOf(rows, indices);
      return codes.map((code) => String(evaluate(code, { row })));
    });
  } catch {
    return null;
  }
}

/** Numbers of rows, one for each table, in the order in which they run. */
function indicesOf(levels) {
  return levels
    .filter(({ table }) => table !== null)
    .reduce(
      (before, { table }) => before.flatMap((indices) => table.rows.map((_, index) => [...indices, index])),
      [[]],
    );
}

function matching(path, { levels }, free) {
  const sources = levels.map(({ pattern }) => pattern.source ?? escape(pattern.text));
  const pattern = new RegExp(`^${[escape(path), ...sources].join(SEPARATOR)}(?: #\\d+)?$`);
  return [...free].filter((id) => pattern.test(id));
}

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Id of the stripped test without the rows. */
export function baseOfTest({ path, levels }) {
  return [path, ...levels.map(({ number }) => number)].join(SEPARATOR);
}
