import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyBundle } from './copy-bundle.ts';

test('a copy stores what a bundle holds twice once, and shares nothing with the original', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'assay-copy-bundle-'));
  context.after(() => rm(root, { recursive: true, force: true }));
  const [from, to] = [join(root, 'from'), join(root, 'deep', 'to')];
  for (const path of ['environment', 'tests/environment']) await mkdir(join(from, path), { recursive: true });
  await writeFile(join(from, 'environment/a.tar.gz'), 'packed');
  await link(join(from, 'environment/a.tar.gz'), join(from, 'tests/environment/a.tar.gz'));
  await writeFile(join(from, 'tests/test.sh'), 'run', { mode: 0o755 });

  await copyBundle(from, to);

  const [one, other] = await Promise.all(
    ['environment/a.tar.gz', 'tests/environment/a.tar.gz'].map((path) => stat(join(to, path))),
  );
  assert.equal(one?.ino, other?.ino);
  assert.equal(one?.nlink, 2);
  assert.equal((await stat(join(to, 'tests/test.sh'))).mode & 0o777, 0o755);
  await writeFile(join(to, 'environment/a.tar.gz'), 'changed');
  assert.equal(await readFile(join(from, 'environment/a.tar.gz'), 'utf8'), 'packed');
});
