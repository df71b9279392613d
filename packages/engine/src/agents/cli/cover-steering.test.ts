import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chooseProvider } from '@assay/sandbox';
import { collectChange, readManifest } from '@assay/files/tree-manifest';
import { coverSteering, withoutCovered } from './cover-steering.ts';

const STEERING = ['.mcp.json', '.tool', '.tool/inner', '.linked.json', 'deep/settings.json', '.absent', 'AGENTS.md/x'];

describe('what would steer an agent', () => {
  let tree = '';
  before(async () => {
    tree = await mkdtemp(join(tmpdir(), 'assay-cover-'));
    await mkdir(join(tree, '.tool/inner'), { recursive: true });
    await mkdir(join(tree, 'elsewhere'));
    await writeFile(join(tree, '.mcp.json'), '{"steers": 1}');
    await writeFile(join(tree, '.tool/inner/hook'), 'steers');
    await writeFile(join(tree, 'elsewhere/settings.json'), 'steers');
    await writeFile(join(tree, 'AGENTS.md'), 'for agents\n');
    await writeFile(join(tree, '.mcp.json.txt'), 'another\n');
    await symlink('elsewhere/settings.json', join(tree, '.linked.json'));
    await symlink('elsewhere', join(tree, 'deep'));
  });
  after(() => rm(tree, { recursive: true, force: true }));

  test('files and directories are covered, links are left out, what is not there is not made', async () => {
    const cover = await coverSteering(tree, STEERING);
    assert.deepEqual(cover.mounts, [
      { kind: 'hidden', target: '/workspace/.mcp.json' },
      { kind: 'hidden', target: '/workspace/.tool' },
    ]);
    assert.deepEqual(cover.deleted, ['.linked.json', 'deep']);
    assert.deepEqual(cover.covered, ['.mcp.json', '.tool', '.linked.json', 'deep']);
  });

  test('inside, they are empty and cannot be changed; outside, they count as unchanged', async () => {
    const { manifest } = await readManifest(tree);
    const cover = await coverSteering(tree, STEERING);
    const provider = await chooseProvider('bubblewrap');
    const workspace = { kind: 'layers' as const, sources: [tree], target: '/workspace' };
    const look = 'cat .mcp.json .tool/inner/hook .linked.json deep/settings.json; cat AGENTS.md';
    const open = await provider.create({ mounts: [workspace] });
    try {
      assert.match((await open.exec(look)).stdout, /steers.*steers/s);
    } finally {
      await open.destroy();
    }
    const covered = await provider.create({ mounts: [{ ...workspace, deleted: cover.deleted }, ...cover.mounts] });
    try {
      assert.equal(
        (await covered.exec(`${look}; rm -rf .mcp.json .tool; echo x > .mcp.json; echo x > .tool/hook`)).stdout,
        'for agents\n',
      );
      await covered.exec('echo y > deep; echo new > new.txt');
      const { change } = await collectChange(covered.hostView?.('/workspace') ?? '', manifest);
      assert.deepEqual(
        change.files.map(({ path }) => path),
        ['.mcp.json', 'deep', 'new.txt'],
      );
      assert.deepEqual(change.deleted, ['.tool/inner/hook']);
      const submission = withoutCovered(change, cover.covered);
      assert.deepEqual(
        submission.files.map(({ path }) => path),
        ['new.txt'],
      );
      assert.deepEqual(submission.deleted, []);
    } finally {
      await covered.destroy();
    }
  });
});
