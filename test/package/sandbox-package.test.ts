import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { NODE_RELEASES, nodeRelease, run } from './node-release.ts';

const ROOT = join(import.meta.dirname, '../..');
const LARGEST = 3 * 1000 * 1000;
const ENTRIES = ['node-vm', 'quickjs', 'bubblewrap', 'oci', 'docker', 'sandbank'].map(
  (name) => `@assay/sandbox/${name}`,
);
const EXPECTED_RESULTS = [
  { desc: 'merge two flat objects', passed: true, got: { a: 1, b: 2 }, expected: { a: 1, b: 2 } },
  { desc: 'deep merge nested objects', passed: true, got: { a: { x: 1, y: 2 } }, expected: { a: { x: 1, y: 2 } } },
  { desc: 'arrays overwrite (not merge)', passed: false, got: { a: [1, 2, 3] }, expected: { a: [3] } },
];

describe('the package @assay/sandbox, packed and installed alone', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assay-package-'));
  const consumer = join(directory, 'consumer');
  const modules = join(consumer, 'node_modules');
  after(() => rmSync(directory, { recursive: true, force: true }));

  before(async () => {
    const workspace = join(directory, 'workspace');
    copyWorkspace(workspace);
    const before = tracked(workspace);
    await run(
      ['npm', 'pack', '--loglevel=error', '--pack-destination', directory],
      join(workspace, 'packages/sandbox'),
    );
    assert.deepEqual(tracked(workspace), before, 'packing leaves the sources as they were');
    cpSync(join(import.meta.dirname, 'consumer'), consumer, { recursive: true });
    writeFileSync(join(consumer, 'package.json'), '{"private": true, "type": "module"}');
    const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? 'no tarball';
    await run(
      ['npm', 'install', '--loglevel=error', '--no-audit', '--no-fund', '--prefer-offline', join(directory, tarball)],
      consumer,
    );
  });

  const script = async (node: string, name: string, ...rest: string[]): Promise<string> =>
    run([await nodeRelease(node), name, ...rest], consumer);

  test('is under 3 MB with a working QuickJS, without zod and the workspace', (context) => {
    const files = filesBelow(modules);
    const bytes = files.reduce((sum, file) => sum + statSync(join(modules, file)).size, 0);
    const blocks = files.reduce((sum, file) => sum + statSync(join(modules, file)).blocks * 512, 0);
    context.diagnostic(
      `installed: ${files.length} files, ${(bytes / 1e6).toFixed(2)} MB, ${(blocks / 1e6).toFixed(2)} MB on disk`,
    );
    assert.ok(blocks < LARGEST, `${blocks} bytes on disk`);
    const packages = files
      .filter((file) => /^(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => file.replace('/package.json', ''));
    assert.deepEqual(packages.sort(), [
      '@assay/sandbox',
      '@jitl/quickjs-ffi-types',
      '@jitl/quickjs-wasmfile-release-sync',
      'quickjs-emscripten-core',
    ]);
    for (const file of files.filter((name) => name.startsWith('@assay/') && /\.([cm]?js|d\.ts)$/.test(name))) {
      assert.doesNotMatch(
        readFileSync(join(modules, file), 'utf8'),
        /(from|import|require)[ (]*["'](@assay\/|zod)/,
        file,
      );
    }
    assert.deepEqual(
      files.filter((file) => /@assay\/.*(\.test\.|\.fixture\.|(?<!\.d)\.ts$)/.test(file)),
      [],
    );
  });

  for (const node of NODE_RELEASES) {
    for (const [name, subpath] of [
      ['NodeVMProvider', 'node-vm'],
      ['QuickJSProvider', 'quickjs'],
    ] as const) {
      test(`runs the page's own code with ${name} under Node ${node}`, async () => {
        const page = readFileSync(join(consumer, 'page.mjs'), 'utf8');
        writeFileSync(
          join(consumer, `${subpath}-page.mjs`),
          page.replaceAll('NodeVMProvider', name).replace('/node-vm', `/${subpath}`),
        );
        const { results, ...said } = JSON.parse(await script(node, `${subpath}-page.mjs`));
        const [first, second, { error, ...third }] = results;
        assert.deepEqual([first, second, third], EXPECTED_RESULTS);
        assert.equal(typeof error, 'string');
        assert.match(error, /a/);
        const { exec, ...others } = said;
        assert.deepEqual(others, { score: 66, node, id: 'string', file: 'hello' });
        assert.deepEqual([exec.stdout, exec.stderr, exec.exitCode], ['42\n', '', 0]);
      });
    }

    test(`a typed program runs under Node ${node}`, async () => {
      assert.equal(await script(node, 'typed.ts'), node);
    });

    test(`each entry point can be loaded alone under Node ${node}`, async () => {
      for (const entry of ENTRIES) assert.ok(JSON.parse(await script(node, 'light.mjs', entry)).length > 0);
    });
  }

  test('the declarations are whole: a strict program is checked together with them', async () => {
    for (const name of ['@types/node', 'undici-types'])
      cpSync(join(ROOT, 'node_modules', name), join(directory, 'types/node_modules', name), { recursive: true });
    cpSync(consumer, join(directory, 'types'), { recursive: true });
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
    ];
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    await run([process.execPath, compiler, ...options, 'typed.ts'], join(directory, 'types'));
    // Positive control: the check sees what is wrong.
    writeFileSync(
      join(directory, 'types/wrong.ts'),
      `import { calcScore } from '@assay/sandbox';\nexport const text: string = calcScore([], 100);\n`,
    );
    await assert.rejects(run([process.execPath, compiler, ...options, 'wrong.ts'], join(directory, 'types')), /TS2322/);
  });

  test('what is heavy is loaded when it is used', async () => {
    const heavy = /quickjs-emscripten|@jitl|dockerode|vendor\/sucrase/;
    const loaded: string[] = JSON.parse(await script(NODE_RELEASES[1], 'light.mjs', '@assay/sandbox', ...ENTRIES));
    assert.ok(loaded.length > 5);
    assert.deepEqual(
      loaded.filter((url) => heavy.test(url)),
      [],
    );
  });

  test('process providers find the files that they take inside', async (context) => {
    const languages = [
      'python',
      'typescript',
      ...((await has('go')) ? ['go'] : []),
      ...((await has('rustc')) ? ['rust'] : []),
    ];
    const { lane, results } = JSON.parse(await script(NODE_RELEASES[1], 'processes.mjs', ...languages));
    assert.deepEqual([lane.stdout, lane.exitCode], ['through the lane\n', 0], lane.stderr);
    for (const language of languages)
      assert.deepEqual(results[language], [{ desc: 'test', passed: true, got: 42, expected: 42 }], language);
    context.diagnostic(`languages: ${languages.join(', ')}`);
  });
});

async function has(command: string): Promise<boolean> {
  const { exitCode } = await runCommand(['sh', '-c', 'command -v "$0"', command]);
  return exitCode === 0;
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
}

/**
 * A workspace of its own, as packing changes files that other tests read at the same time. Foreign packages are links.
 */
function copyWorkspace(workspace: string): void {
  const modules = join(workspace, 'node_modules');
  mkdirSync(join(modules, '@assay'), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json', 'LICENSE', 'build', 'docs', 'packages']) {
    cpSync(join(ROOT, name), join(workspace, name), {
      recursive: true,
      filter: (path) => !/\/(node_modules|packages\/[^/]+\/lib|\.workspace-[^/]*)$/.test(path),
    });
  }
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@assay') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(workspace, 'packages')))
    symlinkSync(join(workspace, 'packages', name), join(modules, '@assay', name));
}

/** Paths and contents of the package's own directory, without its sources. */
function tracked(workspace: string): Record<string, string> {
  const directory = join(workspace, 'packages/sandbox');
  const files = filesBelow(directory).filter((file) => !file.startsWith('src/') && !file.startsWith('node_modules/'));
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(directory, file), 'utf8')]));
}
