import { posix } from 'node:path';
import { isTestData, upToNext, type TestFacet } from '../test-facet.ts';

const TEST = /^[ \t]*(?:async )?def test_/gm;

/** Ids are pytest's: `tests/test_x.py::TestClass::test_name[parameter]`. */
export const pythonTests: TestFacet = {
  runners: ['pytest'],
  selects: ['pytest'],
  isTestFile: (path) =>
    path.endsWith('.py') &&
    !isTestData(path, /^test_|_test\.py$/.test(posix.basename(path))) &&
    !['conftest.py', '__init__.py'].includes(posix.basename(path)),
  splitId,
  titles: (text) => [...text.matchAll(/\bdef (test_\w+)|^[ \t]*class (Test\w+)/gm)].map(([, a, b]) => a ?? b ?? ''),
  bodyOf(text, id) {
    const title =
      splitId(id)
        .names.at(-1)
        ?.replace(/\[.*\]$/s, '') ?? '';
    const at = title === '' ? -1 : text.indexOf(`def ${title}(`);
    // Lines right above it belong to the test, such as its parameters.
    return at < 0 ? '' : upToNext(text, { start: Math.max(text.lastIndexOf('\n\n', at), 0), at, next: TEST });
  },
  newFile: (mark, example) =>
    posix.join(example === null ? 'tests' : posix.dirname(example), `test_regression_${mark}.py`),
};

/** A parameter may contain the separator. */
function splitId(id: string): { file: string; names: string[] } {
  const bracket = id.indexOf('[', id.indexOf('::'));
  const parameter = bracket < 0 ? '' : id.slice(bracket);
  const [file = '', ...names] = (bracket < 0 ? id : id.slice(0, bracket)).split('::');
  const last = names.pop();
  return { file, names: last === undefined ? [] : [...names, last + parameter] };
}
