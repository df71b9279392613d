import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SCENARIOS } from '../../../scenarios/index.ts';
import { DebianLock } from './debian-lock.ts';
import { DEBIAN_PROGRAMS, withDebianPrograms } from './debian-programs.ts';

const FRAMEWORKS = join(import.meta.dirname, '../..');
const lockOf = async (folder: string): Promise<DebianLock> =>
  DebianLock.parse(JSON.parse(await readFile(join(FRAMEWORKS, folder, 'lock/debian-packages.json'), 'utf8')));

describe('programs of Debian', () => {
  test('are all that scenarios ask for', () => {
    assert.deepEqual(
      SCENARIOS.flatMap(({ programs }) => programs).filter((program) => !DEBIAN_PROGRAMS.includes(program)),
      [],
    );
  });

  for (const folder of ['php-lumen', 'ruby-rails']) {
    test(`can all stand beside the packages of ${folder}`, async () => {
      const lock = await lockOf(folder);
      const merged = await withDebianPrograms(lock, DEBIAN_PROGRAMS);
      const names = merged.packages.map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
      for (const name of ['imagemagick', 'ffmpeg', 'g++', 'poppler-utils', ...lock.packages.map((each) => each.name)])
        assert.ok(names.includes(name), name);
      assert.deepEqual(await withDebianPrograms(lock, ['ps']), lock);
    });
  }

  test('of another day than the rest are refused', async () => {
    const lock = await lockOf('php-lumen');
    const packages = lock.packages.map((each) =>
      each.name === 'libc6' ? { ...each, version: '1.0', sha256: '0'.repeat(64) } : each,
    );
    await assert.rejects(withDebianPrograms({ ...lock, packages }, ['pdftotext']), /libc6 1\.0 and/);
  });
});
