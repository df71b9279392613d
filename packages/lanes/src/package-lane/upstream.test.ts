import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { npmUpstream } from './npm/npm-upstream.ts';
import { discoverUpstream } from './package-indexes.ts';
import { pypiUpstream } from './pypi/pypi-upstream.ts';
import { parseUpstream } from './upstream.ts';

const unknown = (error: unknown): boolean => AssayError.is(error) && error.code === 'UPSTREAM_UNKNOWN';

describe('where packages come from', () => {
  test("this machine's package managers say it", async () => {
    for (const kind of ['pypi', 'npm'] as const) {
      const { url } = await discoverUpstream(kind);
      assert.ok(/^https?:$/.test(url.protocol) && url.pathname.endsWith('/') && url.username === '');
    }
  });

  test('configuration counts, and credentials in it are taken out of the address', async () => {
    const pypi = await pypiUpstream({ ...process.env, PIP_INDEX_URL: 'https://user:secret@index.invalid/simple' });
    assert.equal(pypi.url.href, 'https://index.invalid/simple/');
    assert.equal(pypi.authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`);
    const npm = await npmUpstream({ ...process.env, npm_config_registry: 'https://registry.invalid/npm' });
    assert.equal(npm.url.href, 'https://registry.invalid/npm/');
    assert.equal(npm.authorization, undefined);
  });

  test('extra certificate authorities are taken once each', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-upstream-'));
    try {
      const certificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
      await writeFile(join(directory, 'ca.pem'), `# mine\n${certificate}\n${certificate}\n`);
      const { certificates } = await pypiUpstream({
        ...process.env,
        PIP_INDEX_URL: 'https://index.invalid/',
        PIP_CERT: join(directory, 'ca.pem'),
        NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem'),
      });
      assert.equal(certificates.filter((text) => text === certificate).length, 1);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('a repository in the current directory does not choose the registry', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-upstream-'));
    const before = process.cwd();
    try {
      await writeFile(join(directory, '.npmrc'), 'registry=https://evil.invalid/\n');
      await writeFile(join(directory, 'package.json'), '{}');
      await writeFile(join(directory, 'pip.py'), 'raise SystemExit("evil")');
      process.chdir(directory);
      assert.notEqual((await npmUpstream(process.env)).url.host, 'evil.invalid');
      assert.ok((await pypiUpstream(process.env)).url.host);
    } finally {
      process.chdir(before);
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('no package manager, or no address, is a clear error', async () => {
    await assert.rejects(npmUpstream({ PATH: '/nowhere' }), unknown);
    await assert.rejects(pypiUpstream({ PATH: '/nowhere', PIP_INDEX_URL: 'ftp://index.invalid/' }), unknown);
    for (const address of ['', 'index', 'file:///x', 'javascript:1'])
      assert.throws(() => parseUpstream('npm', address, []), unknown);
  });
});
