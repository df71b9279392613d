import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { ECOSYSTEMS } from './index.ts';
import { nodeShownTree } from './node/node-shown-tree.ts';
import { collectRequirements } from './python/collect-requirements.ts';
import { pythonShownTree } from './python/python-shown-tree.ts';
import { readManifests } from './python/read-manifests.ts';
import { listTree, readTreeFile, readTreeText } from './tree-files.ts';

describe('trees that somebody else made', () => {
  let directory: string;
  let tree: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-tree-files-'));
    tree = join(directory, 'tree');
    await mkdir(join(tree, 'inside'), { recursive: true });
    await mkdir(join(directory, 'outside'));
    await writeFile(join(directory, 'outside', 'tests.txt'), 'host-secret\n');
    await writeFile(join(tree, 'inside', 'a.txt'), '\uFEFFtext');
    await symlink('inside/a.txt', join(tree, 'link-inside'));
    await symlink(join(directory, 'outside', 'tests.txt'), join(tree, 'link-outside'));
    await symlink('../outside', join(tree, 'requirements'));
    await symlink('/dev/zero', join(tree, 'pyproject.toml'));
    await symlink('/dev/zero', join(tree, 'package.json'));
    await symlink('loop', join(tree, 'loop'));
    assert.equal((await runCommand(['mkfifo', join(tree, 'setup.cfg'), join(tree, 'package-lock.json')])).exitCode, 0);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  test('only regular files within are read', async () => {
    assert.equal(await readTreeText(tree, 'inside/a.txt'), 'text');
    assert.equal(await readTreeText(tree, 'link-inside'), 'text');
    for (const path of [
      'link-outside',
      'requirements/tests.txt',
      '../outside/tests.txt',
      'pyproject.toml',
      'setup.cfg',
      'loop',
      'inside',
      'missing',
    ]) {
      assert.equal(await readTreeText(tree, path), null, path);
    }
    assert.equal(await readTreeFile(tree, 'inside/a.txt', 3), null);
    assert.deepEqual(
      (await listTree(tree, 'inside')).map(({ name }) => name),
      ['a.txt'],
    );
    assert.deepEqual(await listTree(tree, 'requirements'), []);
    assert.deepEqual(await listTree(tree, '..'), []);
  });

  test('detection neither hangs on them nor reads what lies outside', async () => {
    for (const ecosystem of ECOSYSTEMS) {
      assert.deepEqual(await ecosystem.projectNames(tree), []);
      assert.equal(await ecosystem.testCommand(tree), null);
    }
    const { requirements } = await collectRequirements(tree, await readManifests(tree), []);
    assert.deepEqual(requirements, ['pytest']);
    assert.match((await pythonShownTree(tree))?.digest ?? '', /^[0-9a-f]{64}$/);
    assert.match((await nodeShownTree(tree)).digest, /^[0-9a-f]{64}$/);
  });
});
