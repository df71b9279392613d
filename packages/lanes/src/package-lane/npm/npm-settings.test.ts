import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { npmUpstream } from './npm-upstream.ts';
import { npmAuthorization, parseNpmrc } from './npm-settings.ts';

describe("npm's own settings", () => {
  test('an npmrc: comments, quotes, lists, sections and variables', () => {
    const settings = parseNpmrc(
      '; no\n# no=1\nregistry = "https://a.invalid/"\n[x]\nca[]=x\n//b.invalid/:_authToken=${TOKEN}\nempty=${NONE?}\nkept=${NONE}\r\n',
      { TOKEN: 't=1' },
    );
    assert.deepEqual(Object.fromEntries(settings), {
      registry: 'https://a.invalid/',
      '//b.invalid/:_authToken': 't=1',
      empty: '',
      kept: '${NONE}',
    });
  });

  test('the longest part of the address counts, and another host or port gets nothing', () => {
    const password = Buffer.from('p:w').toString('base64');
    const settings = new Map([
      ['//h.invalid/:_authToken', 'host'],
      ['//h.invalid/npm/:_auth', 'cGFpcg=='],
      ['//h.invalid:8443/a:username', 'u'],
      ['//h.invalid:8443/a:_password', password],
      ['//half.invalid/:username', 'u'],
    ]);
    const found = (address: string): string | undefined => npmAuthorization(settings, new URL(address));
    assert.equal(found('https://h.invalid/'), 'Bearer host');
    assert.equal(found('https://h.invalid/npm/private/'), 'Basic cGFpcg==');
    assert.equal(found('https://h.invalid:8443/a/'), `Basic ${Buffer.from('u:p:w').toString('base64')}`);
    for (const address of [
      'https://h.invalid:8443/',
      'https://other.invalid/npm/',
      'https://half.invalid/',
      'https://xh.invalid/',
    ])
      assert.equal(found(address), undefined, address);
  });

  test('files of npm and the environment: registry with credentials, scopes, tokens', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-npmrc-'));
    try {
      await writeFile(
        join(directory, 'user'),
        '@co:registry=https://co.invalid/npm\n//co.invalid/npm/:_authToken=${SECRET}\n',
      );
      await writeFile(
        join(directory, 'global'),
        'registry=https://user:pw@global.invalid/\n@co:registry=https://wrong.invalid/\n',
      );
      const environment = {
        PATH: process.env['PATH'],
        HOME: directory,
        npm_config_userconfig: join(directory, 'user'),
        npm_config_globalconfig: join(directory, 'global'),
        SECRET: 'hush',
      };
      const upstream = await npmUpstream(environment);
      assert.equal(upstream.url.href, 'https://global.invalid/');
      assert.equal(upstream.authorization, `Basic ${Buffer.from('user:pw').toString('base64')}`);
      const scope = upstream.scopes?.get('@co');
      assert.deepEqual(
        [upstream.scopes?.size, scope?.url.href, scope?.authorization],
        [1, 'https://co.invalid/npm/', 'Bearer hush'],
      );
      const changed = await npmUpstream({
        ...environment,
        npm_config_registry: 'https://env.invalid/',
        'npm_config_//env.invalid/:_authToken': 'fromenv',
      });
      assert.deepEqual([changed.url.href, changed.authorization], ['https://env.invalid/', 'Bearer fromenv']);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
