import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { JSON_TYPE } from './pypi/render-index.ts';
import { FixtureUpstream, LaneFixture } from './testing/lane-fixture.ts';
import { publishTarballs, publishWheels } from './testing/publish.ts';

const OLD = { uploaded: '2019-01-01T00:00:00Z' };
const Page = z.object({
  files: z.array(z.object({ filename: z.string(), url: z.string(), hashes: z.record(z.string(), z.string()) })),
});

describe('a lane over several upstreams', () => {
  let fixture: LaneFixture;
  let second: FixtureUpstream;
  before(async () => {
    fixture = await LaneFixture.start();
    second = await FixtureUpstream.start();
  });
  after(async () => {
    await second.stop();
    await fixture.stop();
  });

  const first = () => ({ url: fixture.upstream.url, certificates: [], authorization: 'Basic first' });
  const other = () => ({ url: second.url, certificates: [], authorization: 'Basic second' });

  test("pip's indexes side by side: each its own files and credentials, the first one's where both have a name, the excluded in none", async () => {
    publishWheels(fixture.upstream, 'both', { '1.0': OLD, '1.1': { uploaded: '2021-01-01T00:00:00Z' } });
    publishWheels(second, 'both', { '1.0': { ...OLD, requires: ['other'] }, '1.2': OLD });
    publishWheels(second, 'private', { '1.0': OLD });
    publishWheels(second, 'target', { '1.0': OLD });
    const { origin } = await fixture.open({
      kind: 'pypi',
      exclude: ['target'],
      upstream: { ...first(), extra: [other()] },
    });
    const page = async (project: string) => {
      const answer = await fetch(`${origin}/simple/${project}/`, { headers: { accept: JSON_TYPE } });
      return answer.status === 404 ? [] : Page.parse(await answer.json()).files;
    };
    const files = await page('both');
    assert.deepEqual(
      files.map(({ filename }) => filename),
      ['both-1.0-py3-none-any.whl', 'both-1.2-py3-none-any.whl'],
    );
    for (const file of [...files, ...(await page('private'))])
      assert.equal((await fetch(file.url)).status, 200, file.filename);
    assert.deepEqual([(await page('private')).length, (await page('target')).length], [1, 0]);
    assert.ok(fixture.upstream.requests.every(({ headers }) => headers.authorization === 'Basic first'));
    assert.ok(second.requests.every(({ headers }) => headers.authorization === 'Basic second'));
    assert.ok(second.requests.some(({ path }) => path === '/files/private-1.0-py3-none-any.whl'));
    assert.ok(!second.requests.some(({ path }) => path === '/files/both-1.0-py3-none-any.whl'));
  });

  test("control: without the extra index its projects are not there; an extra index that fails is the lane's failure", async () => {
    const alone = await fixture.open({ kind: 'pypi', upstream: first() });
    assert.equal((await fetch(`${alone.origin}/simple/private/`)).status, 404);
    second.routes.set('/flaky/', { status: 500 });
    publishWheels(fixture.upstream, 'flaky', { '1.0': OLD });
    const { origin } = await fixture.open({
      kind: 'pypi',
      upstream: { ...first(), extra: [other()] },
      limits: { attempts: 1 },
    });
    assert.equal((await fetch(`${origin}/simple/flaky/`)).status, 502);
  });

  test("npm's scopes have registries and tokens of their own, and nothing of one reaches the other", async () => {
    await publishTarballs(fixture.upstream, 'open', { '1.0.0': OLD });
    await publishTarballs(fixture.upstream, '@co/tool', { '6.6.6': OLD });
    await publishTarballs(second, '@co/tool', { '1.0.0': OLD });
    const before = [fixture.upstream.requests.length, second.requests.length] as const;
    const upstream = {
      ...first(),
      authorization: 'Bearer first',
      scopes: new Map([['@co', { ...other(), authorization: 'Bearer second' }]]),
    };
    const { origin } = await fixture.open({ kind: 'npm', upstream });
    for (const [name, file] of [
      ['open', 'open-1.0.0.tgz'],
      ['@co/tool', 'tool-1.0.0.tgz'],
    ]) {
      assert.equal((await fetch(`${origin}/${name}`)).status, 200);
      assert.equal((await fetch(`${origin}/${name}/-/${file}`)).status, 200, file);
    }
    assert.equal((await fetch(`${origin}/@co/tool/-/tool-6.6.6.tgz`)).status, 404);
    const asked = (from: FixtureUpstream, start: number): unknown[] =>
      from.requests.slice(start).map(({ path, headers }) => [path, headers.authorization]);
    assert.deepEqual(asked(fixture.upstream, before[0]), [
      ['/open', 'Bearer first'],
      ['/open/-/open-1.0.0.tgz', 'Bearer first'],
    ]);
    assert.deepEqual(asked(second, before[1]), [
      ['/@co%2ftool', 'Bearer second'],
      ['/@co/tool/-/tool-1.0.0.tgz', 'Bearer second'],
    ]);
  });
});
