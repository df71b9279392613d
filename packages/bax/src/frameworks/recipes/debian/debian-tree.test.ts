import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { bubblewrapProvider } from '@assay/sandbox';
import { missingPrograms } from '../missing-programs.ts';
import type { DebianLock } from './debian-lock.ts';
import { debianTree, debianUnavailable } from './debian-tree.ts';

const run = promisify(execFile);
const provider = bubblewrapProvider();
const missing = await missingPrograms(['apt-get', 'dpkg-deb']);
const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

interface Package {
  name: string;
  files: Record<string, { content: string; mode?: number }>;
  postinst?: string;
}

const PACKAGES: readonly Package[] = [
  {
    name: 'base-files',
    files: { 'etc/debian_version': { content: '13.8\n' }, 'usr/lib/os-release': { content: 'ID=debian\n' } },
  },
  {
    name: 'greeter',
    files: {
      'usr/bin/greet.en': { content: '#!/bin/sh\necho hello\n', mode: 0o4755 },
      'etc/greeter/secret': { content: 'only for root', mode: 0o600 },
      'usr/share/doc/greeter/README': { content: 'long' },
      'usr/share/ca-certificates/a.crt': { content: 'certificate a\n' },
      'usr/share/ca-certificates/b.crt': { content: 'certificate b\n' },
    },
    postinst: '#!/bin/sh\ntouch /tmp/postinst-ran /etc/postinst-ran\n',
  },
];

describe(
  'a tree of Debian packages',
  { timeout: 300_000, skip: missing.length > 0 && `${missing.join(' and ')} is missing` },
  () => {
    const archives = new Map<string, Buffer>();
    const requests: string[] = [];
    let directory: string;
    let server: Server;
    let mirror: string;
    let lock: DebianLock;
    let cacheDirectory: string;
    /** The mirror's answer for a path. `hang`: none ever; null: 404. */
    let answer: (path: string) => Buffer | 'hang' | null;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'assay-debian-test-'));
      await chmod(directory, 0o755);
      const packages: DebianLock['packages'] = [];
      for (const each of PACKAGES) {
        const archive = await build(directory, each);
        const path = `pool/main/${each.name}_1%2b2_amd64.deb`;
        archives.set(`/debian/${path}`, archive);
        packages.push({
          name: each.name,
          version: '1+2',
          path,
          sha256: createHash('sha256').update(archive).digest('hex'),
        });
      }
      lock = {
        suite: 'trixie',
        wanted: ['greeter'],
        links: { '/usr/bin/greet': 'greet.en', '/opt/deep/greet': '/usr/bin/greet' },
        packages: packages.toReversed(),
      };
      server = createServer(({ url = '' }, response) => {
        requests.push(url);
        const sent = answer(url);
        if (sent === 'hang') return;
        response.writeHead(sent ? 200 : 404).end(sent ?? 'not here');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/debian/`;
    });
    after(async () => {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true, force: true });
    });
    beforeEach(async () => {
      cacheDirectory = await mkdtemp(join(directory, 'cache-'));
      await chmod(cacheDirectory, 0o755);
      answer = (path) => archives.get(path) ?? null;
      requests.length = 0;
    });

    const make = (mirrors = [mirror]): Promise<{ root: string; digest: string }> =>
      debianTree(lock, { provider, cacheDirectory }, mirrors);
    const layers = async (): Promise<string[]> =>
      (await readdir(join(cacheDirectory, 'layers'))).filter((name) => !name.endsWith('.lock'));

    test('holds what the packages hold, and what their scripts would have made is explicit', async () => {
      const { root, digest } = await make();
      assert.match(digest, /^[0-9a-f]{64}$/);
      assert.equal(await readFile(join(root, 'usr/bin/greet.en'), 'utf8'), '#!/bin/sh\necho hello\n');
      assert.equal(await readlink(join(root, 'usr/bin/greet')), 'greet.en');
      assert.equal(await readlink(join(root, 'opt/deep/greet')), '/usr/bin/greet');
      assert.equal(
        await readFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8'),
        'certificate a\ncertificate b\n',
      );
      assert.ok(await isThere(join(root, 'etc/ld.so.cache')));
      assert.ok(!(await isThere(join(root, 'usr/share/doc/greeter/README'))));
      assert.ok(!(await isThere(join(root, 'etc/postinst-ran'))));
    });

    test('can be read by everybody, and changed by its owner alone', async () => {
      const { root } = await make();
      const owner = process.getuid?.();
      for (const name of ['.', ...(await readdir(root, { recursive: true }))]) {
        const entry = await lstat(join(root, name));
        assert.equal(entry.uid, owner, name);
        if (!entry.isSymbolicLink())
          assert.equal(
            (entry.mode & 0o7777).toString(8),
            entry.isDirectory() || entry.mode & 0o100 ? '755' : '644',
            name,
          );
      }
    });

    test('is made once', async () => {
      const first = await make();
      const asked = requests.length;
      assert.deepEqual(await make(), first);
      assert.equal(requests.length, asked);
    });

    test('asks the next mirror for what the first one lacks', async () => {
      answer = (path) =>
        path.startsWith('/other/')
          ? (archives.get(path.replace('/other/', '/debian/')) ?? null)
          : path.includes('greeter')
            ? null
            : (archives.get(path) ?? null);
      const { root } = await make([mirror, mirror.replace('/debian/', '/other/')]);
      assert.ok(await isThere(join(root, 'usr/bin/greet.en')));
      assert.deepEqual(
        requests.filter((path) => path.startsWith('/other/')).map((path) => path.includes('greeter')),
        [true],
      );
    });

    test('of which a package is gone from the mirror says which one and what to do', async () => {
      answer = (path) => (path.includes('greeter') ? null : (archives.get(path) ?? null));
      await assert.rejects(
        make(),
        (error: Error) =>
          /greeter 1\+2 cannot be fetched/.test(error.message) &&
          /lock-packages\.ts/.test(error.message) &&
          !/base-files/.test(error.message),
      );
      assert.deepEqual(await layers(), []);
      answer = (path) => archives.get(path) ?? null;
      assert.ok(await isThere(join((await make()).root, 'usr/bin/greet.en')));
    });

    test('is not made of bytes that the lock does not name', async () => {
      const wrong = await build(directory, { name: 'greeter', files: { 'usr/bin/greet.en': { content: 'evil' } } });
      answer = (path) => (path.includes('greeter') ? wrong : (archives.get(path) ?? null));
      await assert.rejects(make(), /greeter 1\+2 cannot be fetched/);
      assert.deepEqual(await layers(), []);
    });

    test('is made by one of two processes, and used by both', async () => {
      const [one, other] = await Promise.all([makeElsewhere(), makeElsewhere()]);
      assert.equal(one, other);
      assert.ok(await isThere(join(one, 'usr/bin/greet.en')));
      assert.equal(requests.length, archives.size, requests.join(' '));
      assert.equal((await layers()).length, 1);
    });

    test('survives that the process that makes it is killed', async () => {
      answer = (path) => (path.includes('greeter') ? 'hang' : (archives.get(path) ?? null));
      const asked = once(server, 'request');
      const child = elsewhere();
      await asked;
      child.kill('SIGKILL');
      await once(child, 'exit');
      answer = (path) => archives.get(path) ?? null;
      const root = await makeElsewhere();
      assert.ok(await isThere(join(root, 'usr/bin/greet.en')));
      assert.equal((await layers()).length, 1, (await layers()).join(' '));
    });

    test('is for amd64 alone', async () => {
      const here = Object.getOwnPropertyDescriptor(process, 'arch') ?? assert.fail();
      Object.defineProperty(process, 'arch', { ...here, value: 'arm64' });
      try {
        assert.match((await debianUnavailable()) ?? '', /amd64.*arm64/);
      } finally {
        Object.defineProperty(process, 'arch', here);
      }
    });

    function elsewhere(): ReturnType<typeof spawn> {
      const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
      const script = `
      const { debianTree } = await import(${module('debian-tree.ts')});
      const { bubblewrapProvider } = await import('@assay/sandbox');
      const [lock, cacheDirectory, mirror] = JSON.parse(process.argv[1]);
      console.log((await debianTree(lock, { provider: bubblewrapProvider(), cacheDirectory }, [mirror])).root);
    `;
      return spawn(
        process.execPath,
        ['--input-type=module', '--eval', script, JSON.stringify([lock, cacheDirectory, mirror])],
        { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
      );
    }

    /** In a process of its own. */
    async function makeElsewhere(): Promise<string> {
      const child = elsewhere();
      const [[said]] = await Promise.all([once(child.stdout ?? assert.fail(), 'data'), once(child, 'exit')]);
      return String(said).trim();
    }
  },
);

async function build(directory: string, { name, files, postinst }: Package): Promise<Buffer> {
  const folder = await mkdtemp(join(directory, 'package-'));
  await mkdir(join(folder, 'DEBIAN'));
  await chmod(folder, 0o755);
  await writeFile(
    join(folder, 'DEBIAN/control'),
    `Package: ${name}\nVersion: 1+2\nArchitecture: amd64\nMaintainer: Nobody <nobody@localhost>\nDescription: test\n`,
  );
  if (postinst !== undefined) await writeFile(join(folder, 'DEBIAN/postinst'), postinst, { mode: 0o755 });
  for (const [path, { content, mode = 0o644 }] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
    await chmod(join(folder, path), mode);
  }
  const archive = `${folder}.deb`;
  await run('dpkg-deb', ['--root-owner-group', '--build', folder, archive]);
  return readFile(archive);
}
