import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { createKey, readKey, signingKey } from './key-file.ts';
import { trustedKeyId } from './trusted-key.ts';

let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-keys-'));
});
after(() => rm(directory, { recursive: true, force: true }));

const ed25519 = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('a new key', () => {
  test('is readable by its owner alone, whatever the umask', async () => {
    const former = process.umask(0);
    try {
      const path = join(directory, 'new', 'deep', 'key.pem');
      await createKey(path);
      assert.equal((await lstat(path)).mode & 0o777, 0o600);
      assert.equal((await lstat(join(directory, 'new'))).mode & 0o777, 0o700);
      assert.deepEqual(await readdir(join(directory, 'new', 'deep')), ['key.pem']);
    } finally {
      process.umask(former);
    }
  });

  test('never overwrites: a key, any other file, a link, a dangling link, a directory', async () => {
    const place = join(directory, 'occupied');
    await mkdir(join(place, 'directory'), { recursive: true });
    await writeFile(join(place, 'file'), 'thesis');
    await symlink(join(place, 'file'), join(place, 'link'));
    await symlink(join(place, 'nowhere'), join(place, 'dangling'));
    await createKey(join(place, 'key'));
    const key = await readFile(join(place, 'key'), 'utf8');
    for (const name of ['key', 'file', 'link', 'dangling', 'directory'])
      await assert.rejects(createKey(join(place, name)), { code: 'KEY_EXISTS' });
    assert.equal(await readFile(join(place, 'key'), 'utf8'), key);
    assert.equal(await readFile(join(place, 'file'), 'utf8'), 'thesis');
    assert.deepEqual((await readdir(place)).toSorted(), ['dangling', 'directory', 'file', 'key', 'link']);
  });

  test('of many at once, one is made and all get it', async () => {
    const path = join(directory, 'race.pem');
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => createKey(path)));
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 1);
    const first = join(directory, 'first-use.pem');
    const keys = await Promise.all(Array.from({ length: 8 }, () => signingKey(first)));
    assert.equal(new Set(keys.map(({ keyId }) => keyId)).size, 1);
    assert.equal((await readKey(first)).keyId, keys[0]?.keyId);
  });
});

describe('a key is refused', () => {
  const refused = (path: string, detail: RegExp): Promise<void> =>
    assert.rejects(signingKey(path), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'KEY_UNUSABLE');
      assert.match(error.message, detail);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });

  test('when others may read or write it', async () => {
    const path = join(directory, 'open.pem');
    await writeFile(path, ed25519());
    for (const mode of [0o644, 0o640, 0o604, 0o620, 0o610]) {
      await chmod(path, mode);
      await refused(path, /others may read or write it .*chmod 600/);
    }
    await chmod(path, 0o600);
    assert.match((await signingKey(path)).keyId, /^[0-9a-f]{64}$/);
  });

  test('when it is a link, a directory or a pipe', async () => {
    const target = join(directory, 'target.pem');
    await createKey(target);
    await symlink(target, join(directory, 'linked.pem'));
    await symlink(join(directory, 'nowhere'), join(directory, 'dangling.pem'));
    await runCommand(['mkfifo', '-m', '600', join(directory, 'pipe.pem')]);
    await refused(join(directory, 'linked.pem'), /it is a link/);
    await refused(join(directory, 'dangling.pem'), /it is a link/);
    await refused(join(directory, 'pipe.pem'), /no regular file/);
    await refused(directory, /no regular file/);
    await link(target, join(directory, 'hard.pem'));
    assert.equal((await readKey(join(directory, 'hard.pem'))).keyId, (await readKey(target)).keyId);
  });

  test('when it holds something else', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const secret = generateKeyPairSync('ed25519').privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    });
    const contents: [string | Buffer, RegExp][] = [
      ['', /no private key/],
      ['hello', /no private key/],
      [secret, /no private key in PEM without a passphrase/],
      [rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }), /type rsa, not ed25519/],
      [rsa.publicKey.export({ type: 'spki', format: 'pem' }), /no private key/],
      [Buffer.alloc(20_000, 65), /too large/],
    ];
    for (const [index, [content, detail]] of contents.entries()) {
      const path = join(directory, `other-${index}.pem`);
      await writeFile(path, content, { mode: 0o600 });
      await refused(path, detail);
    }
  });

  test('when there is none, and it was not asked to make one', async () => {
    await assert.rejects(readKey(join(directory, 'none.pem')), { code: 'KEY_MISSING' });
  });
});

describe('a trusted key', () => {
  test('by id, by public key, and by files with either, or PEM', async () => {
    const { keyId, publicKey } = await createKey(join(directory, 'trusted.pem'));
    const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`;
    const files = { 'a.id': `${keyId}\n`, 'a.base64': `${publicKey}\n`, 'a.pem': pem };
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    const given = [
      keyId,
      `sha256:${keyId}`,
      publicKey,
      join(directory, 'trusted.pem'),
      ...Object.keys(files).map((name) => join(directory, name)),
    ];
    for (const each of given) assert.equal(await trustedKeyId(each), keyId, each);
  });

  test('anything else is refused', async () => {
    const { publicKey } = await createKey(join(directory, 'one.pem'));
    const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const files = {
      two: pem + pem,
      rsa: rsa.export({ type: 'spki', format: 'pem' }).toString(),
      text: 'hello',
      empty: '',
      huge: 'A'.repeat(20_000),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, `bad-${name}`), content);
    const given = [
      'nothing',
      'ABCD',
      publicKey.slice(1),
      ` ${publicKey}`,
      rsa.export({ type: 'spki', format: 'der' }).toString('base64'),
      directory,
      ...Object.keys(files).map((name) => join(directory, `bad-${name}`)),
    ];
    for (const each of given) await assert.rejects(trustedKeyId(each), { code: 'BAD_OPTION' }, each);
  });
});
