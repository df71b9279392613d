import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readRegularFile, readRegularFileBelow } from './read-regular-file.ts';

const NO_FILES = ['directory', 'link', 'pipe', 'nothing', 'file/below'];
let home = '';
const at = (name: string): string => join(home, name);

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-regular-'));
  await writeFile(at('file'), 'five!');
  await mkdir(at('directory'));
  await writeFile(at('directory/file'), 'below');
  await symlink('file', at('link'));
  await symlink('directory', at('linked'));
  execFileSync('mkfifo', [at('pipe')]);
});
after(() => rm(home, { recursive: true }));

test('reads files, and nothing that pretends to be one', { timeout: 20_000 }, async () => {
  assert.equal((await readRegularFile(at('file'), 5))?.toString(), 'five!');
  assert.equal(await readRegularFile(at('file'), 4), null, 'too long');
  for (const name of NO_FILES) assert.equal(await readRegularFile(at(name), 100), null, name);
  assert.equal(await readRegularFile('/dev/zero', 100), null);
});

test('reads below a directory, through no link and by no way out', { timeout: 20_000 }, () => {
  assert.equal(readRegularFileBelow(home, 'file')?.toString(), 'five!');
  assert.equal(readRegularFileBelow(home, 'directory/file')?.toString(), 'below');
  for (const name of [...NO_FILES, 'linked/file', 'directory/../file', './file', '/file', 'directory//file', ''])
    assert.equal(readRegularFileBelow(home, name), null, name);
});
