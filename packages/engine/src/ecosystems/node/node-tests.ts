import { posix } from 'node:path';
import { isTestData, upToNext, type TestFacet } from '../test-facet.ts';
import { TEST_FILE } from './classify-node-path.ts';
import { testTitles } from './test-titles.ts';

const SEPARATOR = ' > ';
/** tap keeps them in modules that are called after the tests. */
const SNAPSHOTS = /(^|\/)tap-snapshots\//;
/** Where tap, jest and vitest, and ava put what a test file compares with: what is before it, and its name. */
const SNAPSHOT_PLACES = [
  /^(.*\/)?tap-snapshots\/(.+)\.test\.cjs$/,
  /^(.*\/)?__snapshots__\/([^/]+)\.snap$/,
  /^(.*\/)?snapshots\/([^/]+\.[cm]?[jt]s)\.(?:md|snap)$/,
];
const TEST = /\b(?:it|test|specify)(?:\.\w+)*\(/g;

/** Ids are `test/x.test.js > suite > title`, whatever the runner. */
export const nodeTests: TestFacet = {
  runners: ['node:test', 'vitest', 'jest', 'mocha', 'ava', 'tape', 'tap', 'jasmine'],
  isTestFile: (path) =>
    /\.[cm]?[jt]sx?$/.test(path) && !SNAPSHOTS.test(path) && !isTestData(path, TEST_FILE.test(posix.basename(path))),
  testOfSnapshot(path) {
    const [, root, name] = SNAPSHOT_PLACES.map((each) => each.exec(path)).find((match) => match !== null) ?? [];
    return name === undefined ? null : `${root ?? ''}${name}`;
  },
  splitId,
  titles: testTitles,
  bodyOf(text, id) {
    const { names } = splitId(id);
    // A title may hold the separator, so the longest one found in the text counts.
    for (const from of names.keys()) {
      const title = names.slice(from).join(SEPARATOR);
      const at = Math.max(...["'", '"', '`'].map((quote) => text.indexOf(`${quote}${title}${quote}`)));
      if (title !== '' && at >= 0) return upToNext(text, { start: at, at, next: TEST });
    }
    return '';
  },
  newFile(mark, example) {
    const ending = example === null ? '.test.js' : posix.basename(example).replace(/^[^.]*/, '');
    return posix.join(example === null ? 'test' : posix.dirname(example), `regression-${mark}${ending}`);
  },
};

function splitId(id: string): { file: string; names: string[] } {
  const [file = '', ...names] = id.split(SEPARATOR);
  return { file, names };
}
