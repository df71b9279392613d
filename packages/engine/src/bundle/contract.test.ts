import assert from 'node:assert/strict';
import { test } from 'node:test';
import picomatch from 'picomatch';
import { runCommand } from '@assay/sandbox';
import { isOutputDirectory, isOutputFile } from '@assay/files/build-output';
import { contractOf } from './contract.ts';
import { notCarriedPatterns } from './not-carried-patterns.ts';
import { sampleMeta } from './sample-content.ts';

const GLOBS = [
  '**/conftest.py',
  'setup.py',
  '**/*.egg-info/**',
  '**/{jest,vitest}.config.*',
  '**/.mocharc*',
  '**/*.py[co]',
  '.github/**',
  '**/__pycache__/**',
  'a+(b|c)',
  '!x',
];
const PATHS = [
  'conftest.py',
  'a/conftest.py',
  'a/b.c/conftest.py',
  '.hidden/conftest.py',
  'xconftest.py',
  'conftest.pyx',
  'setup.py',
  'a/setup.py',
  'a/x.egg-info/y/z',
  'x.egg-info',
  'jest.config.js',
  'sub/.x/vitest.config.mts',
  '.mocharc',
  'p/.mocharc.yml',
  'm.pyc',
  'a/m.pyo',
  '.github/workflows/x.yml',
  '__pycache__/m.pyc',
  'q/__pycache__/r',
  'abc',
  'x',
  'y',
  'node_modules/a/b.js',
  'packages/p/node_modules/q',
  'node_modules',
  'node_modulesx/y',
  '.coverage',
  'a/.coverage',
  'a.coverage',
  'x.swp',
  'a/b.orig',
  'src/main.py',
  'ünï/conftest.py',
];

/** The paths that Python finds to match, for each expression, the way that grade.py asks. */
async function matchedByPython(expressions: string[], paths: string[]): Promise<string[][]> {
  const program =
    'import json,re,sys; e,p=json.load(sys.stdin); print(json.dumps([[x for x in p if re.compile(r,re.DOTALL).fullmatch(x)] for r in e]))';
  const run = await runCommand(['python3', '-c', program], { stdin: JSON.stringify([expressions, paths]) });
  assert.equal(run.exitCode, 0, run.stderr.toString());
  return JSON.parse(run.stdout.toString());
}

/** The way that grade.mjs asks. */
const matchedByNode = (expressions: string[], paths: string[]): string[] => {
  const compiled = expressions.map((expression) => new RegExp(`^(?:${expression})$`, 's'));
  return paths.filter((path) => compiled.some((expression) => expression.test(path)));
};

test('globs of steering files say the same as expressions, in JavaScript and in Python', async () => {
  const { steering } = contractOf({ ...sampleMeta(), steering: GLOBS });
  const wanted = GLOBS.map((glob) => PATHS.filter((path) => picomatch(glob, { dot: true })(path)));
  assert.deepEqual(
    steering.map((expression) => matchedByNode([expression], PATHS)),
    wanted,
  );
  assert.deepEqual(await matchedByPython(steering, PATHS), wanted);
});

test('a line break in a path does not hide a steering file', async () => {
  const { steering } = contractOf({ ...sampleMeta(), steering: ['**/conftest.py', '**/*.pth'] });
  const paths = ['a\nb/conftest.py', 'x\n.pth'];
  assert.deepEqual(matchedByNode(steering, paths), paths);
  assert.deepEqual((await matchedByPython(steering, paths)).flat(), paths);
});

test('output of tools is what collecting a submission takes for it', async () => {
  const { output } = contractOf(sampleMeta());
  const wanted = PATHS.filter(
    (path) => path.split('/').slice(0, -1).some(isOutputDirectory) || isOutputFile(path.split('/').at(-1) ?? ''),
  );
  assert.ok(wanted.length > 5);
  assert.deepEqual(matchedByNode(output, PATHS), wanted);
  const byPython = new Set((await matchedByPython(output, PATHS)).flat());
  assert.deepEqual(
    PATHS.filter((path) => byPython.has(path)),
    wanted,
  );
});

test('what Harbor leaves behind is nothing that T0 holds', () => {
  const patterns = notCarriedPatterns({ linksOutside: ['a/[x]*?\\link'], names: new Set(['src', 'node_modules']) });
  assert.ok(patterns.includes('./.git') && patterns.includes('__pycache__') && !patterns.includes('node_modules'));
  assert.equal(patterns.at(-1), './a/\\[x\\]\\*\\?\\\\link');
});
