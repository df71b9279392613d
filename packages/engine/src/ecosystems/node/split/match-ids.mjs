const SEPARATOR = ' > ';

/**
 * Gives every test of a file its `ids`, as the runner reported them, one for each row of its tables. A test that was not
 * run has none; one whose rows cannot be told apart from others' becomes `blocked`.
 */
export function matchIds(path, tests, ids) {
  const free = new Set(ids.filter((id) => id.startsWith(`${path}${SEPARATOR}`)));
  const seen = new Map();
  for (const test of tests.filter((each) => isExact(each) && !each.blocked)) {
    const name = [path, ...test.levels.map(({ pattern }) => pattern.text)].join(SEPARATOR);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const id = count === 1 ? name : `${name} #${count}`;
    test.ids = free.delete(id) ? [id] : [];
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

const isExact = ({ levels }) => levels.every(({ pattern }) => pattern.text !== undefined);

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
