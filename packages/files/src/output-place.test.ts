import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { buildWithinDisk, withinDisk } from './disk-full.ts';
import { listOutput, makeOutputDirectory, unwritable } from './output-place.ts';

const refused =
  (detail: RegExp) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === 'OUTPUT_UNWRITABLE' && detail.test(error.message);

describe('a place that a user names for output', () => {
  let home = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-output-'));
    await writeFile(join(home, 'file'), '');
    await symlink(join(home, 'no', 'where'), join(home, 'link'));
    await symlink('circle', join(home, 'circle'));
  });
  after(() => rm(home, { recursive: true, force: true }));

  test('is made with what is missing above it, by several at once, and found again', async () => {
    await Promise.all([1, 2, 3].map(() => makeOutputDirectory(join(home, 'a', 'b', 'c'))));
    await makeOutputDirectory(join(home, 'a', 'b'));
    assert.deepEqual([await listOutput(join(home, 'a', 'b')), await listOutput(join(home, 'none'))], [['c'], []]);
    await makeOutputDirectory(join(home, 'private', 'keys'), 0o700);
    assert.equal((await stat(join(home, 'private'))).mode & 0o777, 0o700);
  });

  for (const [name, path, detail] of [
    [
      'where nothing can be made',
      () => '/proc/x/y',
      /\/proc\/x\/y: there is no such directory, or it takes nothing new/,
    ],
    ['below a device', () => '/dev/null/x', /\/dev\/null: it is no directory/],
    ['a file', () => join(home, 'file'), /file: it is no directory/],
    ['below a file', () => join(home, 'file', 'x', 'y'), /file: it is no directory/],
    ['a link that leads nowhere', () => join(home, 'link'), /link: it is a link that leads nowhere/],
    ['a link to itself', () => join(home, 'circle', 'x'), /circle/],
    ['a name that is too long', () => join(home, 'x'.repeat(300)), /the name is too long/],
  ] as const) {
    test(`${name} is refused at once`, async () => assert.rejects(makeOutputDirectory(path()), refused(detail)));
  }

  test('a directory that may not be written to is refused at once', async () => {
    await mkdir(join(home, 'closed'), { mode: 0o500 });
    // Root may write anywhere but where the kernel has no files.
    const closed = process.getuid?.() === 0 ? '/sys' : join(home, 'closed');
    await assert.rejects(makeOutputDirectory(join(closed, 'assay-test')), refused(/this user may not|read-only/));
  });

  test('a file cannot be listed, and a full disk names the place', async () => {
    await assert.rejects(listOutput(join(home, 'file')), refused(/no directory/));
    const fill = (): Promise<void> => writeFile('/dev/full', 'x');
    const full = (error: unknown): boolean =>
      AssayError.is(error) && error.code === 'DISK_FULL' && error.message.includes(home);
    await assert.rejects(withinDisk(home, fill), full);
    await assert.rejects(
      fill().catch((error: unknown) => {
        throw unwritable(home, error);
      }),
      full,
    );
  });

  test('a program that failed where no room is left failed for that, and elsewhere for what it says', async () => {
    const failure = new AssayError('ENVIRONMENT_FAILED', { detail: 'exit 1' });
    const program = (): Promise<never> => Promise.reject(failure);
    // No file of its own takes room there, so it never has any.
    await assert.rejects(
      buildWithinDisk('/proc', program),
      (error) => AssayError.is(error) && error.code === 'DISK_FULL' && error.cause === failure,
    );
    await assert.rejects(buildWithinDisk(home, program), failure);
    await assert.rejects(withinDisk('/proc', program), failure);
  });

  test('what is no fault of the place is left as it is', async () => {
    const bug = new TypeError('a bug');
    assert.equal(unwritable(home, bug), bug);
    await assert.rejects(
      withinDisk(home, () => Promise.reject(bug)),
      bug,
    );
    assert.deepEqual((await readdir(home)).includes('none'), false);
  });
});
