import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { pypiUpstream } from './pypi-upstream.ts';
import { parsePipSettings, readPipSettings } from './pip-settings.ts';

describe("pip's own settings", () => {
  test('lines as Python writes them', () => {
    const settings = parsePipSettings(
      "global.extra-index-url='\\nhttps://a.invalid\\nhttps://b.invalid'\n:env:.cert=\"it's\"\nnonsense\ninstall.no-index='back\\\\slash'\n",
    );
    assert.deepEqual(Object.fromEntries(settings), {
      'global.extra-index-url': '\nhttps://a.invalid\nhttps://b.invalid',
      ':env:.cert': "it's",
      'install.no-index': 'back\\slash',
    });
  });

  test('a file of pip: [install] before [global], variables before both', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-pip-'));
    try {
      const file = join(directory, 'pip.conf');
      await writeFile(
        file,
        '[global]\nindex-url = https://global.invalid/simple\nextra-index-url =\n    https://u:p@one.invalid/simple\n    https://two.invalid/simple\n[install]\nindex-url = https://install.invalid/simple\n',
      );
      const { PIP_INDEX_URL: _index, PIP_EXTRA_INDEX_URL: _extra, ...rest } = process.env;
      const environment = { ...rest, PIP_CONFIG_FILE: file };
      const upstream = await pypiUpstream(environment);
      assert.equal(upstream.url.href, 'https://install.invalid/simple/');
      assert.deepEqual(
        upstream.extra?.map(({ url, authorization }) => [url.href, authorization]),
        [
          ['https://one.invalid/simple/', `Basic ${Buffer.from('u:p').toString('base64')}`],
          ['https://two.invalid/simple/', undefined],
        ],
      );
      const changed = await readPipSettings({
        ...environment,
        PIP_INDEX_URL: 'https://env.invalid/',
        PIP_EXTRA_INDEX_URL: 'https://x.invalid/',
      });
      assert.deepEqual([changed.indexUrl, changed.extraIndexUrls], ['https://env.invalid/', ['https://x.invalid/']]);
      await assert.rejects(
        pypiUpstream({ ...environment, PIP_NO_INDEX: '1' }),
        (error) => AssayError.is(error) && error.code === 'UPSTREAM_UNKNOWN' && /no-index/.test(error.message),
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
