import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseProvider } from '@assay/sandbox';
import { NOBODY, REFUSED, type Row } from './egress/row.ts';
import {
  ask,
  CLIENT,
  formsOf,
  Outside,
  PORTS,
  tagOf,
  type BankRun,
  type Keyed,
  type Results,
} from './egress/run-bank.ts';
import { ROWS } from './egress/threat-rows.ts';
import { NAMESPACE_PORT, NAMESPACE_SOCKET } from './egress/world.ts';

let outside: Outside;
before(async () => {
  outside = await Outside.open();
});
after(() => outside.close());

const statuses = (answer: string): string =>
  [...answer.matchAll(/^HTTP\/1\.[01] (\d+)/gm)].map((match) => match[1]).join(' ');
const of = (results: Results, { id }: Row, way: 'direct' | 'lane'): string[] =>
  Object.entries(results)
    .filter(([key]) => key.startsWith(`${id}/`) && key.includes('/direct/') === (way === 'direct'))
    .map(([, result]) => result);
const table: string[] = [];

test('every entry has a control of its own, or names the test that has it', () => {
  for (const { id, elsewhere = '', control } of ROWS.filter(
    (row) => row.lane === undefined && row.direct === undefined,
  )) {
    assert.equal(control, 'own', id);
    const [file = '', name = ''] = elsewhere.split(': ');
    if (name !== '')
      assert.ok(readFileSync(join(import.meta.dirname, file), 'utf8').includes(`'${name}`), `${id}: ${elsewhere}`);
    else assert.ok(id === 'C14' || ROWS.some((row) => row.id === elsewhere), id);
  }
});

/** runc makes its networks as bubblewrap does, and its conformance suite looks at them. */
const names = process.env['ASSAY_TEST_ALL'] === '1' ? ['bubblewrap', 'runc', 'runsc'] : ['bubblewrap', 'runsc'];
for (const name of names) {
  describe(
    `${name}: from inside a sandbox nothing is reached but the lanes`,
    { skip: process.getuid?.() === 0 ? false : 'port 53 and other namespaces need root' },
    () => {
      let run: BankRun;
      before(async () => {
        run = await outside.run(name);
      });

      for (const row of ROWS) {
        test(`${row.id} ${row.what}`, () => {
          const tried = { direct: of(run.sealed, row, 'direct'), lane: of(run.sealed, row, 'lane') };
          for (const result of tried.direct) assert.match(result, row.results ?? NOBODY);
          for (const answer of tried.lane) assert.match(statuses(answer), row.answers ?? REFUSED, answer.slice(0, 500));
          assert.deepEqual(run.arrived.sealed.get(row.id), []);
          const counts = [run.arrived.open, run.arrived.naive].map((arrived) => arrived.get(row.id)?.length ?? 0);
          if (row.control === undefined) {
            if (row.direct)
              assert.ok(
                (counts[0] ?? 0) > 0,
                `control: out of the open sandbox nothing arrives: ${JSON.stringify(of(run.open, row, 'direct')).slice(0, 1000)}`,
              );
            if (row.lane) assert.ok((counts[1] ?? 0) > 0, 'control: through the naive proxy nothing arrives');
          }
          const answers = [...new Set(tried.lane.map(statuses))].join(', ');
          table.push(
            [
              name,
              row.id,
              row.what,
              `tried ${tried.direct.length + tried.lane.length}`,
              'arrived 0',
              row.control === 'own'
                ? `control: ${row.elsewhere ?? 'own test'}`
                : `control: ${counts.join(' + ')} arrived`,
              answers === '' ? '' : `lanes say ${answers}`,
            ].join(' | '),
          );
        });
      }

      test('nothing at all reached a listener of the test; the resolver was asked for no name', () => {
        assert.deepEqual(run.leaked, []);
      });

      test('the services behind the lanes heard only what the lanes may ask them', () => {
        const hosts = [new URL(outside.model.origin).host, outside.packages.url.host];
        for (const said of run.upstream) {
          assert.ok(
            hosts.some((host) => said.startsWith(`${host} `)),
            said,
          );
          assert.match(said, /say first|say tag-p07z|^\S+ \/(demo|late|r30\d|elsewhere)\/$/);
        }
      });

      test('C2, C4, C5, C6, C20: what is refused is there (control)', async () => {
        const { world, packages } = outside;
        for (const path of [
          '/files/demo-2.0-py3-none-any.whl',
          '/target/',
          '/target-fork/',
          '/late/',
          '/files/demo-0.9-py3-none-any.whl',
          '/files/demo-1.0-cp311-cp311-linux_x86_64.whl',
        ])
          assert.equal((await fetch(new URL(path, packages.url))).status, 200, path);
        const [lane, mirror, provider] = [
          await outside.openModel(),
          await outside.openPackages(name),
          await chooseProvider(name),
        ];
        const lanes = [
          { port: PORTS.model, socket: lane.socket ?? '' },
          { port: PORTS.packages, socket: mirror.socket },
        ];
        const say = (kind: 'model' | 'packages'): Keyed => ({
          kind: 'raw',
          key: kind,
          port: PORTS[kind],
          say: formsOf(kind, lane.token).good({ headers: 'Connection: close\r\n' }),
        });
        const asked = await outside.within(provider, { network: { kind: 'lanes', lanes } }, (sandbox) =>
          ask(sandbox, [say('model'), say('packages')]),
        );
        await Promise.all([lane.close(), mirror.close()]);
        assert.deepEqual([statuses(asked['model'] ?? ''), statuses(asked['packages'] ?? '')], ['200', '200']);
        assert.ok(
          asked['packages']?.includes('demo-1.0-py3-none-any.whl') &&
            !/demo-2\.0|demo-0\.9|cp311/.test(asked['packages']),
        );
        assert.deepEqual(world.queries, []);
      });

      test('C14: a redirect of a model is not followed, one of an index only to what is an index; a client that follows arrives (control)', async () => {
        assert.equal(run.redirected.length, 10);
        for (const answer of run.redirected)
          assert.ok(/^(400|404|502)$/.test(statuses(answer)) && !/^location:|internal words/im.test(answer), answer);
        const { world, place } = outside;
        world.forget();
        await fetch(outside.redirector, { method: 'POST', body: '{}' });
        await sleep(100);
        assert.ok(place.world.of(tagOf({ id: 'C14' })).length > 0, 'control');
      });

      test('C16: the neighbour answers itself, and the other namespace those in it (control)', async () => {
        const { world } = outside;
        assert.deepEqual(run.neighbourHeard, ['self', 'self']);
        world.forget();
        const probes = [
          { kind: 'tcp', key: 'port', host: '127.0.0.1', port: NAMESPACE_PORT, say: 'inside' },
          { kind: 'tcp', key: 'abstract', path: NAMESPACE_SOCKET, say: 'inside' },
        ];
        const { stdout } = spawnSync(
          'nsenter',
          [`--net=/proc/${world.namespacePid}/ns/net`, process.execPath, '--input-type=module', '-e', CLIENT],
          { input: JSON.stringify(probes), encoding: 'utf8' },
        );
        assert.deepEqual(JSON.parse(stdout), { port: 'connected', abstract: 'connected' });
        await sleep(100);
        assert.equal(world.hits.length, 2);
      });

      test('C15: the families that are refused can be had without the seal (control)', () => {
        const results = of(run.open, ROWS.find(({ id }) => id === 'C15') ?? assert.fail(), 'direct');
        assert.match(
          results.find((result) => result.startsWith('exit ')) ?? '',
          name === 'runsc' ? /^exit 0 end\n$/ : /family \d+|raw \d+/,
          'gVisor has no other families even then',
        );
      });

      test('a stolen token is refused elsewhere and after the trial, and the lane has no port on the host', async () => {
        const provider = await chooseProvider(name);
        const [lane, other] = [await outside.openModel(), await outside.openModel()];
        const use = (token: string): Keyed[] => [
          {
            kind: 'raw',
            key: 'x',
            port: PORTS.model,
            say: formsOf('model', token).good({ headers: 'Connection: close\r\n' }),
          },
        ];
        const from = (socket: string | null, token: string): Promise<Results> =>
          outside.within(
            provider,
            socket === null ? {} : { network: { kind: 'lanes', lanes: [{ port: PORTS.model, socket }] } },
            (sandbox) => ask(sandbox, use(token)),
          );
        try {
          assert.equal(statuses((await from(lane.socket, lane.token))['x'] ?? ''), '200', 'control');
          const calls = outside.model.calls.length;
          assert.equal(statuses((await from(other.socket, lane.token))['x'] ?? ''), '400');
          assert.equal((await from(null, lane.token))['x'], '[ECONNREFUSED]');
          assert.equal(lane.address, null);
          lane.revoke();
          assert.equal(statuses((await from(lane.socket, lane.token))['x'] ?? ''), '400');
          assert.equal(outside.model.calls.length, calls);
        } finally {
          await Promise.all([lane.close(), other.close()]);
        }
      });
    },
  );
}

test('the table of the bank', (t) => {
  for (const line of table) t.diagnostic(line);
  assert.equal(table.length, process.getuid?.() === 0 ? names.length * ROWS.length : 0);
});
