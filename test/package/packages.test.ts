import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JobSummary } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { buildPackages } from '../../build/build-package.ts';
import { readManifest } from '../../build/read-manifest.ts';
import { buildDemoRepository } from '../../packages/engine/src/commands/demo/demo-repository.ts';
import { run } from './node-release.ts';
import { buildShellRepository } from './shell-repository.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = readdirSync(join(ROOT, 'packages')).filter(
  (name) => readManifest(join(ROOT, 'packages', name))['private'] !== true,
);
const NOBODY = 65534;

describe('all packages, packed and installed in an empty directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-packages-'));
  const built = join(directory, 'built');
  const consumer = join(directory, 'consumer');
  after(() => rmSync(directory, { recursive: true, force: true }));

  before(async () => {
    mkdirSync(built);
    await buildPackages(NAMES, built);
    for (const name of NAMES)
      await run(['npm', 'pack', '--loglevel=error', '--pack-destination', directory], join(built, name));
    mkdirSync(consumer);
    writeFileSync(join(consumer, 'package.json'), '{"private": true, "type": "module"}');
    const tarballs = NAMES.map((name) => join(directory, `assay-${name}-${versionOf(name)}.tgz`));
    await run(
      ['npm', 'install', '--loglevel=error', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs],
      consumer,
    );
    cpSync(join(ROOT, 'examples'), join(consumer, 'examples'), { recursive: true });
    cpSync(join(import.meta.dirname, 'consumer/public.ts'), join(consumer, 'public.ts'));
    for (const path of [directory, consumer]) chmodSync(path, 0o755);
  });

  for (const name of NAMES) {
    test(`@assay/${name} holds what was built, and nothing for tests`, () => {
      const files = filesBelow(join(consumer, 'node_modules/@assay', name));
      assert.deepEqual(files, filesBelow(join(built, name)));
      const code = files.filter((path) => path.startsWith('lib/'));
      assert.deepEqual(
        code.filter((path) => /\.(test|fixture)\.|\/(testing|__fixtures__)\/|-conformance\.|(?<!\.d)\.ts$/.test(path)),
        [],
      );
      const manifest = JSON.parse(readFileSync(join(consumer, 'node_modules/@assay', name, 'package.json'), 'utf8'));
      assert.equal(manifest.license, 'Apache-2.0');
      const unwanted = ['scripts', 'devDependencies', 'private'].filter((field) => field in manifest);
      assert.deepEqual(unwanted, []);
      assert.ok(['LICENSE', 'README.md'].every((path) => files.includes(path)));
    });
  }

  test('each entry point can be loaded', async () => {
    const entries = NAMES.flatMap((name) =>
      Object.keys(JSON.parse(readFileSync(join(built, name, 'package.json'), 'utf8')).exports)
        .filter((subpath) => !subpath.endsWith('.json'))
        .map((subpath) => `@assay/${name}${subpath.slice(1)}`),
    );
    writeFileSync(join(consumer, 'load.mjs'), entries.map((entry) => `await import('${entry}');\n`).join(''));
    await run([process.execPath, 'load.mjs'], consumer);
  });

  test('the declarations are whole, and say what the public interface is', async () => {
    for (const name of ['@types/node', 'undici-types'])
      cpSync(join(ROOT, 'node_modules', name), join(consumer, 'node_modules', name), { recursive: true });
    const options = { strict: true, skipLibCheck: false, noEmit: true, module: 'nodenext', target: 'es2024' };
    const compilerOptions = {
      ...options,
      allowImportingTsExtensions: true,
      lib: ['es2024', 'esnext.disposable'],
      types: ['node'],
    };
    writeFileSync(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['public.ts', 'examples/mine-and-run.ts', 'examples/register.ts'] }),
    );
    const compiler = [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', consumer];
    await run(compiler, consumer);
  });

  test('a program of twenty lines mines and runs, and the command grades by what it mined', async () => {
    const project = join(directory, 'project');
    await buildDemoRepository(project);
    assert.equal(
      await run([process.execPath, 'examples/mine-and-run.ts', project, 'out'], consumer),
      '1 of 1 candidates became tasks\noracle passes 1 of 1\nnop passes 0 of 1\n',
    );
    const [task = ''] = readdirSync(join(consumer, 'out/tasks')).filter(
      (name) => !/^(dataset\.json|candidates\.jsonl)$/.test(name),
    );
    const graded = await run(
      ['npx', 'assay', 'grade', `out/tasks/${task}`, '--submission', project, '--json'],
      consumer,
    );
    assert.equal(JSON.parse(graded).reward, 1);
  });

  test('an ecosystem, a pipeline, an agent and a provider are added to the command line from outside', async () => {
    const project = join(directory, 'scripts');
    const { text, files } = buildShellRepository(project);
    writeFileSync(join(consumer, 'problems.json'), JSON.stringify([{ id: 'one', text, files }]));
    const assay = async (...words: string[]): Promise<{ admitted?: number; summary?: JobSummary }> =>
      JSON.parse(
        await run([process.execPath, 'examples/register.ts', ...words, '--provider', 'counting', '--json'], consumer),
      );
    const from = ['--pipeline', 'problem_file', '--file', 'problems.json'];
    assert.equal((await assay('mine', project, ...from, '--out', 'registered')).admitted, 1);
    const { summary } = await assay('run', 'registered', '--agent', 'note-taker', '--out', 'job');
    assert.deepEqual([summary?.trials, summary?.passed], [1, 0]);
  });

  test('a backend is prompted for and graded', async () => {
    const row = ['--scenario', 'Calculator', '--framework', 'JavaScript-express'];
    assert.match(await run(['npx', 'assay', 'bax', 'list'], consumer), /Calculator +JavaScript-express/);
    assert.match(await run(['npx', 'assay', 'bax', 'prompt', ...row], consumer), /openapi: 3/);
    const code = 'node_modules/@assay/bax/apps/scenarios/calculator/javascript-express';
    const grade = await run(['npx', 'assay', 'bax', 'grade', ...row, '--code', code, '--json'], consumer);
    assert.equal(JSON.parse(grade).secure_functional_pass, 1);
  });

  test('`npx assay` answers, and says what a package cannot do', async () => {
    assert.equal(await run(['npx', 'assay', '--version'], consumer), `${versionOf('server')}\n`);
    await assert.rejects(run(['npx', 'assay', 'test'], consumer), /the tests are in the checkout/);
  });

  test('the demo and the judge work for an ordinary user', async () => {
    const bin = join(directory, 'bin');
    const home = join(directory, 'home');
    for (const path of [bin, home]) mkdirSync(path);
    // The one that runs this test may lie where only root looks.
    copyFileSync(process.execPath, join(bin, 'node'));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(home, NOBODY, NOBODY);
    const drop = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
    const assay = async (...words: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runCommand([...drop, 'node_modules/.bin/assay', ...words, '--json'], {
        cwd: consumer,
        env: { PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`, HOME: home },
        timeoutMs: 600_000,
      });
      assert.equal(exitCode, 0, stderr.toString('utf8'));
      return stdout.toString('utf8');
    };
    const cases = [{ input: [1, 2], expected: 3 }];
    const standard = { type: 'test_cases', title: 'Sum', description: 'Add two numbers.', functionName: 'add', cases };
    writeFileSync(join(consumer, 'standard.json'), JSON.stringify(standard));
    writeFileSync(join(consumer, 'add.js'), 'const add = (a, b) => a + b;');
    const { score } = JSON.parse(await assay('judge', 'standard.json', '--submission', 'add.js'));
    assert.equal(score, 100);
    const { trials } = JSON.parse(await assay('demo'));
    assert.deepEqual(
      trials.filter(({ sealed, reward }: { sealed: boolean; reward: number }) => sealed && reward === 1).length,
      1,
    );
  });
});

const versionOf = (name: string): string => String(readManifest(join(ROOT, 'packages', name))['version']);

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}
