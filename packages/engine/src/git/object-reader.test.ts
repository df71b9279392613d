import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { RepositoryBuilder } from '@assay/testkit';
import { openObjectReader } from './object-reader.ts';
import { runGit } from './run-git.ts';

let root: string;
let source: RepositoryBuilder;
let head: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-objects-'));
  source = await RepositoryBuilder.create(join(root, 'source'));
  head = await source.commit('First', {
    small: 'small\n',
    empty: '',
    large: Buffer.alloc(5_000_000, 'x\ny\0'),
    newlines: '\n\n\n',
  });
});

after(() => rm(root, { recursive: true, force: true }));

const withCode =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code;
const MISSING = '0123456789012345678901234567890123456789';

describe('openObjectReader', () => {
  test('reads many objects at once, each whole, and tells what is missing between them', async () => {
    const reader = openObjectReader(source.gitDirectory);
    const [small, empty, large, newlines] = await Promise.all(
      ['small', 'empty', 'large', 'newlines'].map((path) => source.resolve(`HEAD:${path}`)),
    );
    const reads = Array.from({ length: 300 }, (_, index) =>
      reader.read([small, empty, large, newlines, MISSING][index % (index < 20 ? 5 : 2)] ?? ''),
    );
    const results = await Promise.allSettled(reads);
    const sizes = results
      .slice(0, 5)
      .map((result) => (result.status === 'fulfilled' ? result.value.length : result.reason.code));
    assert.deepEqual(sizes, [6, 0, 5_000_000, 3, 'MISSING_OBJECT']);
    assert.equal(results.filter((result) => result.status === 'rejected').length, 4);
    assert.equal((await reader.readObject(head)).type, 'commit');
    await reader.close();
  });

  test('names and types are checked', async () => {
    const reader = openObjectReader(source.gitDirectory);
    for (const name of ['HEAD', head.slice(0, 10), `${head}\n${head}`, '', 'HEAD:small'])
      await assert.rejects(reader.read(name), withCode('MISSING_OBJECT'));
    await assert.rejects(reader.readTyped(head, 'blob'), withCode('MISSING_OBJECT'));
    await reader.close();
  });

  test('objects above the limit are passed over, and reading goes on', async () => {
    const reader = openObjectReader(source.gitDirectory, { maxObjectBytes: 1_000_000 });
    await assert.rejects(reader.read(await source.resolve('HEAD:large')), withCode('OBJECT_TOO_LARGE'));
    assert.equal((await reader.read(await source.resolve('HEAD:small'))).toString(), 'small\n');
    await reader.close();
  });

  test('after close, and after git died over a damaged object, another process reads on', async () => {
    const blob = await source.git('hash-object', '-w', '--stdin');
    const file = join(source.gitDirectory, 'objects', blob.slice(0, 2), blob.slice(2));
    await chmod(file, 0o644);
    await writeFile(file, 'damaged');
    const reader = openObjectReader(source.gitDirectory);
    await assert.rejects(reader.read(blob), (error) => AssayError.is(error));
    assert.equal((await reader.readObject(head)).type, 'commit');
    await reader.close();
    assert.equal((await reader.readObject(head)).type, 'commit');
    await reader.close();
  });

  test('an open reader that is idle does not keep a program running', () => {
    const script = `const { openObjectReader } = await import(${JSON.stringify(new URL('./object-reader.ts', import.meta.url).href)});
      const reader = openObjectReader(${JSON.stringify(source.gitDirectory)}); await reader.read(${JSON.stringify(head)}); console.log('read');`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [0, 'read\n'], stderr);
  });

  test('closing with reads under way: each of them and the close itself settle before the program ends', () => {
    const script = `const { openObjectReader } = await import(${JSON.stringify(new URL('./object-reader.ts', import.meta.url).href)});
      for (const wait of [false, true]) {
        const reader = openObjectReader(${JSON.stringify(source.gitDirectory)});
        if (wait) await reader.read(${JSON.stringify(head)});
        const reads = Array.from({ length: 20 }, () => reader.read(${JSON.stringify(head)}));
        const closed = reader.close();
        const results = await Promise.allSettled(reads);
        await closed;
        const again = reader.read(${JSON.stringify(head)});
        await reader.close();
        await again.catch(() => {});
        console.log(results.length);
      }`;
    for (let run = 0; run < 3; run += 1) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
        encoding: 'utf8',
      });
      assert.deepEqual([status, stdout], [0, '20\n20\n'], stderr);
    }
  });

  test('a reader whose directory is gone rejects, and closes', async () => {
    const reader = openObjectReader(join(root, 'absent'));
    await assert.rejects(reader.read(head));
    await reader.close();
  });
});

describe('runGit', () => {
  test('errors: a missing object, any other failure, too much output', async () => {
    await assert.rejects(runGit(source.gitDirectory, ['cat-file', '-p', MISSING]), withCode('MISSING_OBJECT'));
    await assert.rejects(runGit(source.gitDirectory, ['no-such-command']), withCode('GIT_FAILED'));
    await assert.rejects(
      runGit(source.gitDirectory, ['cat-file', '-p', 'HEAD:large'], { maxOutputBytes: 1_000 }),
      withCode('GIT_FAILED'),
    );
    assert.deepEqual(
      await runGit(source.gitDirectory, ['config', '--get', 'absent.key'], { exitCodes: [0, 1] }),
      Buffer.alloc(0),
    );
  });

  test('without a repository none is found above', async () => {
    await assert.rejects(
      runGit(null, ['rev-parse', '--git-dir'], { cwd: join(source.directory, '.git', 'refs') }),
      withCode('GIT_FAILED'),
    );
  });

  test('no transport is allowed', async () => {
    await assert.rejects(
      runGit(source.gitDirectory, ['fetch', source.directory]),
      (error) => AssayError.is(error) && /not allowed/.test(error.message),
    );
  });

  test('an abort ends it', async () => {
    const controller = new AbortController();
    controller.abort();
    await assert.rejects(
      runGit(source.gitDirectory, ['version'], { signal: controller.signal }),
      withCode('INTERRUPTED'),
    );
  });
});
