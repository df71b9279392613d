import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import type { PackageLaneOptions } from '../contract.ts';
import { LaneFixture, pythonWithPip, runClient } from '../testing/lane-fixture.ts';
import { makeWheel, metadataOf, sha256 } from '../testing/python-files.ts';
import { fetchPythonTool } from '../tool-download.ts';
import { JSON_TYPE } from './render-index.ts';

const LATER = new Date('2030-01-01T00:00:00Z');
const Page = z.object({
  versions: z.array(z.string()),
  files: z.array(z.looseObject({ filename: z.string(), url: z.string(), yanked: z.unknown() })),
});

interface Upload {
  filename: string;
  bytes: Buffer;
  uploaded: string | null;
  sha256?: string;
  yanked?: string;
  requiresPython?: string;
  metadata?: string;
}

const wheel = (
  name: string,
  version: string,
  uploaded: string | null,
  extra: Partial<Upload> & { requires?: string[]; tag?: string; module?: string } = {},
): Upload => ({
  filename: `${name}-${version}-${extra.tag ?? 'py3-none-any'}.whl`,
  bytes: makeWheel(name, version, extra),
  uploaded,
  ...extra,
});

for (const form of ['json', 'html'] as const) {
  describe(`the PyPI lane over an upstream that answers ${form}`, () => {
    let fixture: LaneFixture;
    before(async () => {
      fixture = await LaneFixture.start();
      publish('demo-lib', [
        wheel('demo_lib', '1.0', '2019-01-01T00:00:00Z'),
        wheel('demo_lib', '1.1', '2020-01-01T00:00:00.500000Z', {
          requiresPython: '>=3.6',
          requires: ['helper'],
          metadata: metadataOf('demo-lib', '1.1', ['helper']),
        }),
        wheel('demo_lib', '2.0', '2021-01-01T00:00:00Z'),
        // C20: a wheel that somebody added to an old release long after.
        {
          ...wheel('demo_lib', '1.0', '2021-06-01T00:00:00Z', { module: 'FIXED = True\n' }),
          filename: 'demo_lib-1.0-1-py3-none-any.whl',
        },
        wheel('demo_lib', '1.2', null),
      ]);
      publish('helper', [
        wheel('helper', '0.5', '2019-01-01T00:00:00Z'),
        wheel('helper', '0.6', '2020-06-02T00:00:00Z'),
      ]);
      publish('target', [
        wheel('target', '1.0', '2019-01-01T00:00:00Z'),
        wheel('target', '1.1', '2019-02-01T00:00:00Z', { module: 'FIXED = True\n' }),
      ]);
      publish('withdrawn', [
        wheel('withdrawn', '1.0', '2019-01-01T00:00:00Z'),
        wheel('withdrawn', '1.1', '2019-02-01T00:00:00Z', { yanked: 'broken' }),
      ]);
      publish('altered', [
        wheel('altered', '1.0', '2019-01-01T00:00:00Z', { sha256: sha256(Buffer.from('other bytes')) }),
      ]);
      publish('mixed', [
        wheel('mixed', '1.0', '2019-01-01T00:00:00Z'),
        wheel('target', '1.1', '2019-01-01T00:00:00Z', { module: 'FIXED = True\n' }),
      ]);
    });
    after(() => fixture.stop());

    function publish(project: string, uploads: Upload[]): void {
      for (const upload of uploads) {
        fixture.upstream.routes.set(`/files/${upload.filename}`, { body: upload.bytes });
        if (upload.metadata !== undefined)
          fixture.upstream.routes.set(`/files/${upload.filename}.metadata`, { body: upload.metadata });
      }
      const body = form === 'json' ? jsonPage(project, uploads) : htmlPage(uploads);
      fixture.upstream.routes.set(`/${project}/`, {
        headers: { 'content-type': form === 'json' ? JSON_TYPE : 'text/html' },
        body,
      });
    }

    async function openLane(options: Partial<PackageLaneOptions> = {}) {
      const opened = await fixture.open({ kind: 'pypi', ...options });
      const page = async (project: string): Promise<string[]> => {
        const answer = await fetch(`${opened.origin}/simple/${project}/`, { headers: { accept: JSON_TYPE } });
        return answer.status === 404 ? [] : Page.parse(await answer.json()).files.map((file) => file.filename);
      };
      return { ...opened, page };
    }

    async function download(origin: string, ...requirements: string[]): Promise<{ files: string[]; output: string }> {
      const cwd = await fixture.newDirectory();
      const argv = [
        await pythonWithPip(),
        '-m',
        'pip',
        'download',
        '--no-cache-dir',
        '--disable-pip-version-check',
        '--retries',
        '0',
        '-i',
        `${origin}/simple/`,
        '-d',
        'out',
        ...requirements,
      ];
      const result = await runClient(argv, cwd);
      return {
        files: (await readdir(join(cwd, 'out')).catch(() => [])).sort(),
        output: result.stdout.toString() + result.stderr.toString(),
      };
    }

    test('pip gets what existed at the cutoff, dependencies included', async () => {
      const { lane, origin } = await openLane();
      const { files, output } = await download(origin, 'Demo_Lib');
      assert.deepEqual(files, ['demo_lib-1.1-py3-none-any.whl', 'helper-0.5-py3-none-any.whl'], output);
      assert.equal(lane.resolution(), 'date');
    });

    test('PEP 658 metadata is offered where the upstream has it', async () => {
      const { origin } = await openLane();
      assert.match(
        await (await fetch(`${origin}/simple/demo-lib/`)).text(),
        /demo_lib-1\.1-[^>]*data-core-metadata="sha256=/,
      );
      const metadata = await fetch(`${origin}/packages/demo-lib/demo_lib-1.1-py3-none-any.whl.metadata`);
      assert.equal(await metadata.text(), metadataOf('demo-lib', '1.1', ['helper']));
      assert.equal((await fetch(`${origin}/packages/demo-lib/demo_lib-1.0-py3-none-any.whl.metadata`)).status, 404);
    });

    test('control: with a later cutoff pip gets the later release', async () => {
      const { origin } = await openLane({ cutoff: LATER });
      assert.deepEqual((await download(origin, 'demo-lib')).files, ['demo_lib-2.0-py3-none-any.whl']);
    });

    test('a late wheel of an old release (C20) and a file without a date do not exist', async () => {
      const { page, origin } = await openLane();
      assert.deepEqual(await page('demo-lib'), ['demo_lib-1.0-py3-none-any.whl', 'demo_lib-1.1-py3-none-any.whl']);
      assert.equal((await fetch(`${origin}/packages/demo-lib/demo_lib-1.0-1-py3-none-any.whl`)).status, 404);
      const { files, output } = await download(origin, 'demo-lib==1.0');
      assert.deepEqual(files, ['demo_lib-1.0-py3-none-any.whl'], output);
    });

    test('control: with a later cutoff the late wheel is there, the undated file still not', async () => {
      const { page, origin } = await openLane({ cutoff: LATER });
      assert.deepEqual(
        (await page('demo-lib')).filter((name) => /-1\.0-1-|-1\.2-/.test(name)),
        ['demo_lib-1.0-1-py3-none-any.whl'],
      );
      assert.deepEqual((await download(origin, 'demo-lib==1.0')).files, ['demo_lib-1.0-1-py3-none-any.whl']);
    });

    test('an excluded project does not exist in any spelling, by page or by file', async () => {
      const { lane, origin, page } = await openLane({ exclude: ['TARGET'] });
      assert.deepEqual((await download(origin, 'target==1.1')).files, []);
      for (const spelling of ['target', 'Target', 'TARGET']) assert.deepEqual(await page(spelling), []);
      assert.equal((await fetch(`${origin}/packages/target/target-1.1-py3-none-any.whl`)).status, 404);
      assert.ok(lane.records.every((record) => record.status === 404));
    });

    test('control: not excluded, it installs', async () => {
      const { origin } = await openLane();
      assert.deepEqual((await download(origin, 'target==1.1')).files, ['target-1.1-py3-none-any.whl']);
    });

    test("another project's file on a page is not served", async () => {
      const { origin, page } = await openLane({ exclude: ['target'] });
      assert.deepEqual(await page('mixed'), ['mixed-1.0-py3-none-any.whl']);
      assert.equal((await fetch(`${origin}/packages/mixed/target-1.1-py3-none-any.whl`)).status, 404);
      assert.equal((await fetch(`${origin}/packages/mixed/mixed-1.0-py3-none-any.whl`)).status, 200);
    });

    test('bytes that do not have their hash are never handed out', async () => {
      const { lane, origin } = await openLane();
      assert.deepEqual((await download(origin, 'altered')).files, []);
      const answer = await fetch(`${origin}/packages/altered/altered-1.0-py3-none-any.whl`);
      assert.equal(answer.status, 502);
      assert.match(await answer.text(), /do not have the sha256/);
      assert.ok(lane.records.some((record) => record.status === 502 && record.note?.includes('sha256')));
      // Control: the same kind of file with its true hash.
      assert.equal((await fetch(`${origin}/packages/helper/helper-0.5-py3-none-any.whl`)).status, 200);
    });

    test('yanked and requires-python are kept', async () => {
      const { origin } = await openLane();
      assert.deepEqual((await download(origin, 'withdrawn')).files, ['withdrawn-1.0-py3-none-any.whl']);
      const page = await (await fetch(`${origin}/simple/withdrawn/`)).text();
      assert.match(page, /data-yanked="broken"/);
      assert.match(await (await fetch(`${origin}/simple/demo-lib/`)).text(), /data-requires-python="&#62;=3\.6"/);
    });

    test('answers name the lane, not the upstream', async () => {
      const { origin } = await openLane();
      const port = fixture.upstream.url.port;
      for (const accept of [JSON_TYPE, 'text/html']) {
        const text = await (await fetch(`${origin}/simple/demo-lib/`, { headers: { accept } })).text();
        assert.ok(!text.includes(`:${port}`) && text.includes(`${origin}/packages/demo-lib/`));
      }
    });

    test('with a lockfile dates do not count, exclusions do', async () => {
      const { lane, page } = await openLane({ mode: 'lockfile', exclude: ['target'] });
      assert.equal(lane.resolution(), 'lockfile');
      assert.equal((await page('demo-lib')).length, 5);
      assert.deepEqual(await page('target'), []);
    });

    test('uv resolves through it like pip', async () => {
      const tools = join(fixture.directory, 'tools');
      const uv = await fetchPythonTool('uv', tools, { cacheDirectory: tools });
      const compile = async (origin: string): Promise<string> => {
        const argv = [
          uv,
          'pip',
          'compile',
          '--no-config',
          '--no-cache',
          '--no-header',
          '--no-annotate',
          '--python',
          await pythonWithPip(),
          '--index-url',
          `${origin}/simple/`,
          '-',
        ];
        const { cwd, env } = { cwd: await fixture.newDirectory(), env: { NO_COLOR: '1' } };
        return (await runClient(['sh', '-c', 'echo demo-lib | "$@"', 'sh', ...argv], cwd, env)).stdout.toString();
      };
      assert.equal(await compile((await openLane()).origin), 'demo-lib==1.1\nhelper==0.5\n');
      assert.equal(await compile((await openLane({ cutoff: LATER })).origin), 'demo-lib==2.0\n');
    });

    function jsonPage(name: string, uploads: Upload[]): string {
      const files = uploads.map((upload) => ({
        filename: upload.filename,
        url: `../files/${upload.filename}`,
        hashes: { sha256: upload.sha256 ?? sha256(upload.bytes) },
        size: upload.bytes.length,
        yanked: upload.yanked ?? false,
        ...(upload.requiresPython === undefined ? {} : { 'requires-python': upload.requiresPython }),
        ...(upload.uploaded === null ? {} : { 'upload-time': upload.uploaded }),
        ...(upload.metadata === undefined ? {} : { 'core-metadata': { sha256: sha256(Buffer.from(upload.metadata)) } }),
      }));
      return JSON.stringify({ meta: { 'api-version': '1.1' }, name, versions: [], files });
    }

    function htmlPage(uploads: Upload[]): string {
      const lines = uploads.map((upload) => {
        const parts = [`href="/files/${upload.filename}#sha256=${upload.sha256 ?? sha256(upload.bytes)}"`];
        if (upload.uploaded !== null) parts.push(`data-upload-time="${upload.uploaded}"`);
        if (upload.yanked !== undefined) parts.push(`data-yanked="${upload.yanked}"`);
        if (upload.requiresPython !== undefined)
          parts.push(`data-requires-python="${upload.requiresPython.replace('>', '&gt;')}"`);
        if (upload.metadata !== undefined)
          parts.push(`data-dist-info-metadata="sha256=${sha256(Buffer.from(upload.metadata))}"`);
        return `<a ${parts.join(' ')}>${upload.filename}</a><br/>`;
      });
      return `<!DOCTYPE html><html><body>${lines.join('\n')}</body></html>`;
    }
  });
}

test("the machine's own upstream: six, as of 2019", async () => {
  const fixture = await LaneFixture.start();
  try {
    const { origin } = await fixture.open({ kind: 'pypi', cutoff: new Date('2019-06-01T00:00:00Z') }, 'machine');
    const cwd = await fixture.newDirectory();
    const result = await runClient(
      [
        await pythonWithPip(),
        '-m',
        'pip',
        'download',
        '--no-cache-dir',
        '--disable-pip-version-check',
        '-i',
        `${origin}/simple/`,
        '-d',
        'out',
        'six',
      ],
      cwd,
    );
    assert.deepEqual(await readdir(join(cwd, 'out')), ['six-1.12.0-py2.py3-none-any.whl'], result.stderr.toString());
  } finally {
    await fixture.stop();
  }
});
