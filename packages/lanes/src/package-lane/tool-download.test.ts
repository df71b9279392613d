import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { AssayError } from '@assay/protocol';
import { create } from 'tar';
import { readZip } from './pypi/read-zip.ts';
import { newestWheel } from './pypi/newest-wheel.ts';
import { freezeFiles } from './pypi/freeze-files.ts';
import type { IndexFile } from './pypi/index-file.ts';
import { LaneFixture } from './testing/lane-fixture.ts';
import { integrityOf, makeTarball } from './testing/npm-files.ts';
import { makeZip, sha256 } from './testing/python-files.ts';
import { fetchNpmPackage, fetchPythonTool } from './tool-download.ts';

const refused = (words: RegExp) => (error: unknown) =>
  AssayError.is(error) && error.code === 'LANE_FAILED' && words.test(error.message);
const MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';

describe('tools from the package managers', () => {
  let fixture: LaneFixture;
  before(async () => {
    fixture = await LaneFixture.start();
  });
  after(() => fixture.stop());

  const options = () => ({
    cacheDirectory: join(fixture.directory, 'cache'),
    upstream: { url: fixture.upstream.url, certificates: [] },
  });

  function publishNpm(name: string, tarballs: Record<string, Buffer>, integrity?: string): void {
    const versions = Object.fromEntries(
      Object.entries(tarballs).map(([version, bytes]) => {
        fixture.upstream.routes.set(`/${name}-${version}.tgz`, { body: bytes });
        return [
          version,
          {
            version,
            dist: {
              tarball: `${fixture.upstream.url.href}${name}-${version}.tgz`,
              integrity: integrity ?? integrityOf(bytes),
            },
          },
        ];
      }),
    );
    fixture.upstream.routes.set(`/${name}`, { body: JSON.stringify({ name, 'dist-tags': {}, versions }) });
  }

  test('an npm package: the highest within the range, unpacked once for all callers', async () => {
    const bytes = await makeTarball({ name: 'tool', version: '2.5.0' }, { 'bin/tool': '#!/bin/sh\n' });
    publishNpm('tool', {
      '2.4.0': Buffer.from('never asked for'),
      '2.5.0': bytes,
      '3.0.0': Buffer.from('never asked for'),
    });
    const target = await fixture.newDirectory();
    const found = await Promise.all([1, 2, 3].map(() => fetchNpmPackage('tool', '^2.0.0', target, options())));
    assert.equal(new Set(found).size, 1);
    const [directory = ''] = found;
    assert.ok(directory.startsWith(target));
    assert.deepEqual((await readdir(directory)).sort(), ['bin', 'package.json']);
    assert.equal(fixture.upstream.requests.filter((request) => request.path === '/tool-2.5.0.tgz').length, 1);
    await assert.rejects(fetchNpmPackage('tool', '^9.0.0', target, options()), refused(/no version of tool/));
    await assert.rejects(fetchNpmPackage('../tool', '*', target, options()), refused(/no package name/));
  });

  test('an npm package with other bytes, a link or a way out is refused, and nothing of it stays', async () => {
    const target = await fixture.newDirectory();
    const staging = await fixture.newDirectory();
    await mkdir(join(staging, 'package'));
    await writeFile(join(staging, 'package', 'package.json'), '{}');
    await symlink('/etc/passwd', join(staging, 'package', 'link'));
    await writeFile(join(staging, 'evil'), 'x');
    const pack = async (name: string, paths: string[]): Promise<Buffer> => {
      await create(
        { file: join(staging, name), cwd: join(staging, 'package'), gzip: true, preservePaths: true },
        paths,
      );
      return await readFile(join(staging, name));
    };
    publishNpm('altered', { '1.0.0': await makeTarball({ name: 'altered' }) }, integrityOf(Buffer.from('other')));
    publishNpm('linked', { '1.0.0': await pack('linked.tgz', ['package.json', 'link']) });
    publishNpm('escaping', { '1.0.0': await pack('escaping.tgz', ['package.json', '../evil']) });
    await assert.rejects(fetchNpmPackage('altered', '1', target, options()), refused(/sha512/));
    await assert.rejects(fetchNpmPackage('linked', '1', target, options()), refused(/link is a SymbolicLink/));
    await assert.rejects(fetchNpmPackage('escaping', '1', target, options()), refused(/evil leads out/));
    assert.deepEqual(await readdir(join(target, 'layers')), []);
  });

  test('a Python tool: the executable of the newest wheel for this machine', async () => {
    const wheel = (version: string): Buffer =>
      makeZip({ [`tool-${version}.data/scripts/tool`]: `#!/bin/sh\necho ${version}\n`, 'other/tool': 'no' });
    const names = [
      'tool-1.9-py3-none-manylinux_2_17',
      'tool-1.10-py3-none-manylinux_2_17',
      'tool-2.0rc1-py3-none-manylinux_2_17',
    ];
    const links = names.map((name) => {
      const filename = `${name}_${MACHINE}.musllinux_1_1_${MACHINE}.whl`;
      const bytes = wheel(filename.split('-')[1] ?? '');
      fixture.upstream.routes.set(`/${filename}`, { body: bytes });
      return `<a href="/${filename}#sha256=${sha256(bytes)}">${filename}</a>`;
    });
    fixture.upstream.routes.set('/tool/', { headers: { 'content-type': 'text/html' }, body: links.join('\n') });
    const target = await fixture.newDirectory();
    const [first, second] = await Promise.all([
      fetchPythonTool('tool', target, options()),
      fetchPythonTool('tool', target, options()),
    ]);
    assert.equal(first, second);
    assert.equal((await promisify(execFile)(first)).stdout, '1.10\n');
    await assert.rejects(fetchPythonTool('nothing', target, options()), refused(/no nothing/));
  });

  test('a download that is interrupted ends as that, and nothing of it stays', async () => {
    fixture.upstream.routes.set('/slow', { hang: 'at-once' });
    const target = await fixture.newDirectory();
    const controller = new AbortController();
    const download = fetchNpmPackage('slow', '1', target, { ...options(), signal: controller.signal });
    while (!fixture.upstream.requests.some((request) => request.path === '/slow'))
      await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await assert.rejects(download, { code: 'INTERRUPTED' });
    assert.deepEqual(await readdir(join(target, 'layers')), []);
  });

  test('the wheel for the oldest C library of the same kind is taken; yanked ones are not', () => {
    const file = (filename: string, yanked: string | null = null): IndexFile => ({
      filename,
      yanked,
      url: new URL('http://x/'),
      hashes: { sha256: '0'.repeat(64) },
      requiresPython: null,
      uploadedAt: null,
      metadata: null,
      size: null,
    });
    const files = freezeFiles(
      't',
      [
        file('t-2.0-py3-none-manylinux_2_28_x86_64.whl'),
        file('t-2.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl'),
        file('t-2.0-py3-none-musllinux_1_1_x86_64.whl'),
        file('t-2.0-py3-none-manylinux_2_5_i686.whl'),
        file('t-3.0-py3-none-manylinux_2_17_x86_64.whl', 'broken'),
        file('t-2.0.tar.gz'),
        file('t-2.0-py3-none-macosx_11_0_arm64.whl'),
      ],
      null,
    );
    assert.equal(
      newestWheel(files, { machine: 'x86_64', libc: 'manylinux' })?.filename,
      't-2.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
    );
    assert.equal(
      newestWheel(files, { machine: 'x86_64', libc: 'musllinux' })?.filename,
      't-2.0-py3-none-musllinux_1_1_x86_64.whl',
    );
    assert.equal(newestWheel(files, { machine: 'riscv64', libc: 'manylinux' }), null);
  });

  test('a damaged zip is refused', () => {
    const archive = makeZip({ a: 'content' });
    assert.equal(readZip(archive)[0]?.read().toString(), 'content');
    const changed = Buffer.from(archive);
    changed.write('X', archive.indexOf('content'));
    assert.throws(() => readZip(changed)[0]?.read(), refused(/damaged/));
    assert.throws(() => readZip(archive.subarray(0, 20)), refused(/no zip/));
    assert.throws(() => readZip(Buffer.alloc(0)), refused(/no zip/));
    const lying = Buffer.from(archive);
    lying.writeUInt16LE(9, archive.length - 12);
    assert.throws(() => readZip(lying), refused(/directory is damaged|too early/));
  });
});
