import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { findFramework } from '../find-row.ts';
import { readCodeDirectory, readGivenDirectory, readResponse } from './read-answer.ts';

const FLASK = findFramework('Python-Flask');
const saying =
  (text: RegExp) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === 'ANSWER_UNREADABLE' && text.test(error.message);

describe('the answer that a user names', { timeout: 60_000 }, () => {
  let directory = '';
  const place = (name: string): string => join(directory, name);
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-read-'));
    await mkdir(place('code/.git/hooks'), { recursive: true });
    await mkdir(place('empty'));
    await writeFile(place('code/app.py'), 'print(1)');
    await writeFile(place('code/.git/hooks/pre-commit'), 'evil');
    await symlink('/etc/passwd', place('code/link'));
    await symlink('/', place('code/root'));
    await symlink('code', place('link-to-code'));
    await symlink('circle', place('circle'));
    await writeFile(place('nothing.txt'), '');
    await writeFile(place('response.txt'), '<CODE>\nprint(1)\n</CODE>');
    await writeFile(place('huge.txt'), '<CODE>\nprint(1)\n</CODE>');
    await truncate(place('huge.txt'), 3 * 1024 ** 3);
    execFileSync('mkfifo', [place('fifo'), place('code/fifo')]);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  test('holds regular files alone, and what is left out is told', async () => {
    const skipped: Record<string, string> = {};
    const files = await readGivenDirectory(place('code'), (path, why) => {
      skipped[path] = why;
    });
    assert.deepEqual(Object.keys(files), ['app.py']);
    assert.deepEqual(skipped, { fifo: 'a FIFO', link: 'a symbolic link', root: 'a symbolic link' });
  });

  test('may be a link where a user gave it, and not in a tree of results', async () => {
    assert.deepEqual(Object.keys(await readGivenDirectory(place('link-to-code'))), ['app.py']);
    await assert.rejects(readCodeDirectory(place('link-to-code')), saying(/no directory/));
  });

  const directories: [string, RegExp][] = [
    ['empty', /holds no files/],
    ['nowhere', /no such file/],
    ['response.txt', /no directory/],
    ['response.txt/x', /part of its path/],
    ['circle', /circle/],
    ['fifo', /no directory/],
  ];
  for (const [name, why] of directories)
    test(`--code ${name} is refused`, () => assert.rejects(readGivenDirectory(place(name)), saying(why)));

  const responses: [string, RegExp][] = [
    ['empty', /a directory\. --code takes one/],
    ['nowhere', /no such file/],
    ['nothing.txt', /is empty/],
    ['fifo', /no regular file/],
    ['/dev/zero', /no regular file/],
  ];
  for (const [name, why] of responses)
    test(`--response ${name} is refused`, () =>
      assert.rejects(readResponse(name.startsWith('/') ? name : place(name), FLASK, 'strict'), saying(why)));

  test('of 3 GiB is not read, and graded as an answer without code', async () => {
    assert.deepEqual(await readResponse(place('huge.txt'), FLASK, 'strict'), {
      invalid: 'the response is longer than 4194304 bytes, the most that is read',
    });
    const { files } = (await readResponse(place('response.txt'), FLASK, 'strict')) as {
      files: Record<string, Uint8Array>;
    };
    assert.deepEqual(Object.keys(files), ['app.py']);
  });
});
