/**
 * Writes hand-made tasks to the directory given, the smallest bundles that Harbor can run: `sample-python` and
 * `sample-node` of repositories, `standard-python` and `standard-node` of standards. The Python one carries pytest,
 * fetched with pip. `node test/harbor/make-samples.ts DIR`.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { runCommand } from '@assay/sandbox';
import { writeTask } from '../../packages/engine/src/bundle/write-task.ts';
import { samplePythonContent, sampleMeta } from '../../packages/engine/src/bundle/sample-content.ts';
import { makeStandardTask } from '../../packages/engine/src/commands/make-standard-task.ts';
import type { TaskContent } from '../../packages/engine/src/bundle/task.ts';

const out = process.argv[2];
if (out === undefined) throw new Error('usage: node test/harbor/make-samples.ts DIR');
const scratch = await mkdtemp(join(tmpdir(), 'assay-samples-'));
try {
  await writeTask(join(out, 'sample-python'), await pythonSample());
  await writeTask(join(out, 'sample-node'), await nodeSample());
  await standardSample('standard-python', 'python', 'def add(a, b):\n    return a + b\n');
  await standardSample('standard-node', 'javascript', 'exports.add = (a, b) => a + b;\n');
} finally {
  await rm(scratch, { recursive: true });
}

async function standardSample(name: string, language: string, answer: string): Promise<void> {
  const [standard, reference] = [join(scratch, `${name}.json`), join(scratch, name)];
  await writeFile(
    standard,
    JSON.stringify({
      type: 'test_cases',
      title: 'Add two numbers',
      functionName: 'add',
      language,
      cases: [
        { input: [1, 2], expected: 3 },
        { input: [0, 0], expected: 0 },
      ],
    }),
  );
  await writeFile(reference, answer);
  await makeStandardTask({ standard, reference, out: join(out ?? '', name), name });
}

async function pythonSample(): Promise<TaskContent> {
  const content = await samplePythonContent(scratch);
  const wheels = join(scratch, 'wheels');
  const pip = await runCommand(
    [
      'python3',
      '-m',
      'pip',
      'download',
      '-q',
      '-d',
      wheels,
      '--only-binary',
      ':all:',
      '--python-version',
      '3.11',
      'pytest==8.3.4',
    ],
    { timeoutMs: 120_000 },
  );
  if (pip.exitCode !== 0) throw new Error(pip.stderr.toString());
  const names = await readdir(wheels);
  const lock = join(scratch, 'requirements.lock');
  await writeFile(
    lock,
    names.map((name) => `${name.split('-').slice(0, 2).join('==').replaceAll('_', '-')}\n`).join(''),
  );
  return {
    ...content,
    environmentFiles: new Map([
      ['requirements.lock', lock],
      ...names.map((name) => [`wheels/${name}`, join(wheels, name)] as const),
    ]),
  };
}

async function nodeSample(): Promise<TaskContent> {
  const tree = join(scratch, 'node');
  await mkdir(join(tree, 'test'), { recursive: true });
  await writeFile(
    join(tree, 'package.json'),
    '{ "name": "adder", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  );
  await writeFile(join(tree, 'adder.js'), 'export const add = (a, b) => a - b;\n');
  const testText = (cases: string): string =>
    `import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from '../adder.js';\n\n${cases}`;
  const zero = "test('zero', () => assert.equal(add(1, 0), 1));\n";
  await writeFile(join(tree, 'test', 'adder.test.js'), testText(zero));
  const repoTar = join(scratch, 'node.tar.gz');
  await create({ gzip: true, file: repoTar, cwd: tree, portable: true }, ['.']);
  const meta = sampleMeta();
  return {
    name: 'assay/adder-4d5e6f70',
    description: 'Adding gives the difference',
    instruction: '# Adding two numbers gives their difference\n',
    repoTar,
    environmentFiles: new Map(),
    reference: {
      files: [{ path: 'adder.js', content: Buffer.from('export const add = (a, b) => a + b;\n'), executable: false }],
      deleted: [],
    },
    referenceDiff:
      '--- a/adder.js\n+++ b/adder.js\n@@ -1 +1 @@\n-export const add = (a, b) => a - b;\n+export const add = (a, b) => a + b;\n',
    hidden: {
      files: [
        {
          path: 'test/adder.test.js',
          content: Buffer.from(testText(`${zero}test('add', () => assert.equal(add(1, 2), 3));\n`)),
          executable: false,
        },
      ],
      deleted: [],
    },
    meta: {
      ...meta,
      fail_to_pass: ['test/adder.test.js > add'],
      pass_to_pass: ['test/adder.test.js > zero'],
      test: { ecosystem: 'node', runner: 'node:test', args: [], files: ['test/adder.test.js'], timeoutSec: 60 },
      environment: { ...meta.environment, ecosystem: 'node', interpreter: '24.21.0' },
      steering: ['package.json'],
    },
  };
}
