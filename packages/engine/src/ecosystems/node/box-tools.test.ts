import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { EnvironmentFixture } from '../environment.fixture.ts';
import { boxTools } from './box-tools.ts';
import { openNodeEnvironment } from './open-node-environment.ts';

const workspacePackage = (name: string, dependencies = {}): string =>
  JSON.stringify({ name, dependencies, scripts: { build: `echo ${name}` } });
const FILES: Record<string, string> = {
  'package.json': JSON.stringify({
    name: 'demo',
    scripts: { pretest: 'echo before', test: 'tool tests', build: 'echo $npm_lifecycle_event', broken: 'exit 7' },
  }),
  'packages/a/package.json': JSON.stringify({ name: '@demo/a', scripts: { test: 'echo a' } }),
  'mono/package.json': '{"private":true}',
  'mono/pnpm-workspace.yaml': "packages:\n  - 'packages/*' # ours\n  - '!packages/old'\n",
  'mono/packages/a/package.json': workspacePackage('@mono/a', { '@mono/z': 'workspace:*' }),
  'mono/packages/b/package.json': JSON.stringify({ name: 'b', scripts: { build: 'echo b; exit 3' } }),
  'mono/packages/old/package.json': workspacePackage('old'),
  'mono/packages/plain/package.json': '{"name":"plain"}',
  'mono/packages/z/package.json': workspacePackage('@mono/z'),
  'mono/site/package.json': workspacePackage('site'),
  'node_modules/tool/package.json': JSON.stringify({ name: 'tool', bin: { tool: 'x' } }),
  'node_modules/other/package.json': JSON.stringify({ name: 'other', bin: { 'other-cli': 'x' } }),
};

let tree: string;
let tools: Map<string, string>;
before(async () => {
  tree = await mkdtemp(join(tmpdir(), 'assay-box-tools-'));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
  }
  await mkdir(join(tree, 'node_modules/.bin'));
  for (const name of ['tool', 'other-cli']) {
    await writeFile(join(tree, 'node_modules/.bin', name), '#!/bin/sh\necho "${0##*/}:$*"\n');
    await chmod(join(tree, 'node_modules/.bin', name), 0o755);
  }
  const mounts = await boxTools(join(tree, 'cache'));
  tools = new Map();
  for (const { target, ...mount } of mounts) {
    const name = target.slice(target.lastIndexOf('/') + 1);
    const copy = join(tree, 'bin', name);
    await mkdir(dirname(copy), { recursive: true });
    if (mount.kind === 'read-only') await runCommand(['cp', mount.source, copy]);
    tools.set(name, copy);
  }
});
after(() => rm(tree, { recursive: true, force: true }));

const CASES: [line: string, code: number, printed: string][] = [
  ['npm test', 0, 'before\ntool:tests\n'],
  ['npm t -- --grep "two words"', 0, 'before\ntool:tests --grep two words\n'],
  ['npm run build --silent', 0, 'build\n'],
  ['npm run', 0, 'pretest: echo before\ntest: tool tests\nbuild: echo $npm_lifecycle_event\nbroken: exit 7\n'],
  ['npm run broken', 7, ''],
  ['npm run absent', 1, ''],
  ['npm run absent --if-present', 0, ''],
  ['npm test -w packages/a', 0, 'a\n'],
  ['npm test --workspace=@demo/a', 0, 'a\n'],
  ['npm test --workspaces', 0, 'a\n'],
  ['npm exec -- tool --flag', 0, 'tool:--flag\n'],
  ['npm ci', 0, ''],
  ['npm install left-pad', 1, ''],
  ['npx tool run --watch', 0, 'tool:run --watch\n'],
  ['npx --yes other@2 x', 0, 'other-cli:x\n'],
  ['npx -c "tool a"', 0, 'tool:a\n'],
  ['npx absent', 1, ''],
  ['pnpm build', 0, 'build\n'],
  ['pnpm tool --flag', 0, 'tool:--flag\n'],
  ['pnpm --filter @demo/a test', 0, 'a\n'],
  ['pnpm -C mono -r build', 3, '@mono/z\n@mono/a\nb\n'],
  ['pnpm -C mono run -r build', 3, '@mono/z\n@mono/a\nb\n'],
  ['pnpm -C mono -r --filter "@mono/*" build', 0, '@mono/z\n@mono/a\n'],
  ['pnpm -C mono --filter ./packages/** --filter !b run build', 0, '@mono/z\n@mono/a\n'],
  ['pnpm -C mono --filter @mono/a... build', 0, '@mono/z\n@mono/a\n'],
  ['yarn workspace @demo/a test', 0, 'a\n'],
  ['yarn workspaces foreach -A --exclude x run test', 0, 'a\n'],
  ['yarn test --grep x', 0, 'before\ntool:tests --grep x\n'],
  ['yarn run tool y', 0, 'tool:y\n'],
];

for (const [line, code, printed] of CASES)
  test(`in the box: ${line}`, async () => {
    const [program = '', ...words] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, a, b]) => a ?? b ?? '');
    const result = await runCommand([process.execPath, tools.get(program) ?? '', ...words], {
      cwd: tree,
      env: { PATH: '/usr/bin:/bin' },
    });
    assert.equal(result.stdout.toString(), printed, result.stderr.toString());
    assert.equal(result.exitCode, code, result.stderr.toString());
  });

test('an agent calls them by their names', async (context) => {
  const fixture = await EnvironmentFixture.make();
  context.after(() => fixture.dispose());
  const workspace = await fixture.tree('tree', { 'package.json': FILES['package.json'] ?? '' });
  const spec = {
    ecosystem: 'node',
    interpreter: process.versions.node,
    digest: '',
    resolution: 'none' as const,
    cutoff: '2023-06-15T12:00:00.000Z',
    pins: [],
    excluded: [],
  };
  const environment = await openNodeEnvironment(spec, {
    archive: null,
    interpreter: { version: process.versions.node, executable: process.execPath },
    cacheDirectory: join(fixture.directory, 'cache'),
  });
  const answer = await fixture.runIn(environment, workspace, ['/bin/sh', '-c', 'npm run build && pnpm build']);
  assert.equal(answer.stdout, 'build\nbuild\n', answer.stderr);
});
