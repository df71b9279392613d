import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRegularFile } from './read-regular-file.ts';

test('reads files, and nothing that pretends to be one', { timeout: 20_000 }, async () => {
  const home = await mkdtemp(join(tmpdir(), 'assay-regular-'));
  try {
    const at = (name: string): string => join(home, name);
    await writeFile(at('file'), 'five!');
    await mkdir(at('directory'));
    await symlink('file', at('link'));
    execFileSync('mkfifo', [at('pipe')]);
    assert.equal(await readRegularFile(at('file'), 5), 'five!');
    assert.equal(await readRegularFile(at('file'), 4), null, 'too long');
    for (const name of ['directory', 'link', 'pipe', 'nothing', 'file/below'])
      assert.equal(await readRegularFile(at(name), 100), null, name);
    assert.equal(await readRegularFile('/dev/zero', 100), null);
  } finally {
    await rm(home, { recursive: true });
  }
});
