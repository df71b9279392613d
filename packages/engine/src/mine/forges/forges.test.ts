import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { startFakeForge, type FakeForge, type Things, type Trouble } from './fake-forge.fixture.ts';
import type { ForgeKind } from './forge.ts';
import { FORGES } from './index.ts';
import { openForge, type ForgeOptions, type OpenedForge } from './open-forge.ts';
import { WORDINGS } from './wordings.fixture.ts';

const OID = 'a'.repeat(40);
const TOKEN = 'secret-token-0123456789';
const pull = (number: number, more: Partial<Things['pulls'][number]> = {}): Things['pulls'][number] => ({
  number,
  title: `Pull ${number}`,
  body: '',
  merged: true,
  mergeCommit: OID,
  commits: ['First\n\nmore', 'Second'],
  ...more,
});
const THINGS: Things = {
  pulls: [
    pull(15),
    pull(14),
    pull(13, { merged: false }),
    pull(12, { title: 'Keep rows', body: 'Fixes #7.' }),
    pull(11),
  ],
  issues: [{ number: 7, title: 'Empty rows', body: 'They are lost.' }],
};

describe('forges', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-forges-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  /** Runs something against a server of a kind. */
  const against = async (
    kind: ForgeKind,
    { trouble, token, ...options }: Partial<ForgeOptions> & { trouble?: Trouble; token?: string },
    use: (opened: OpenedForge, server: FakeForge, waits: number[]) => Promise<void>,
  ): Promise<void> => {
    const server = await startFakeForge(WORDINGS[kind], THINGS, { trouble, token });
    const waits: number[] = [];
    try {
      const opened = await openForge({
        address: server.address,
        environment: { FORGE_TOKEN: TOKEN, GITHUB_TOKEN: 'another', GITLAB_TOKEN: 'another' },
        cacheDirectory: await mkdtemp(join(directory, 'cache-')),
        wait: async (ms) => void waits.push(ms),
        ...options,
      });
      try {
        await use(opened, server, waits);
      } finally {
        opened.close();
      }
    } finally {
      await server.close();
    }
  };
  const numbers = async (opened: OpenedForge): Promise<number[]> =>
    (await Array.fromAsync(opened.pulls({}))).map(({ number }) => number);
  const coded =
    (code: string, pattern: RegExp) =>
    (error: unknown): boolean =>
      AssayError.is(error) && error.code === code && pattern.test(error.message) && !error.message.includes(TOKEN);

  for (const { kind } of FORGES)
    describe(kind, () => {
      test('tells what it is, and gives pull requests with their commits and issues', () =>
        against(kind, {}, async (opened, server) => {
          assert.equal(opened.kind, kind);
          const merged = (await Array.fromAsync(opened.pulls({}))).filter(({ mergedAt }) => mergedAt !== null);
          assert.deepEqual(
            merged.map(({ number }) => number),
            [15, 14, 12, 11],
          );
          const found = merged[2];
          assert.deepEqual(found, {
            number: 12,
            title: 'Keep rows',
            body: 'Fixes #7.',
            mergedAt: '2024-01-22T00:00:00.000Z',
            mergeCommit: OID,
            headCommit: 'b'.repeat(40),
            headRepository: null,
            baseBranch: 'master',
            labels: ['bug'],
            isDraft: false,
            author: null,
            subjects: null,
            closes: [7],
          });
          assert.deepEqual(await opened.pull(12), found);
          assert.equal(await opened.pull(99), null);
          assert.deepEqual(await opened.subjects(12), ['First', 'Second']);
          const issue = {
            number: 7,
            title: 'Empty rows',
            body: 'They are lost.',
            createdAt: '2023-12-01T00:00:00.000Z',
          };
          assert.deepEqual(await opened.issue(7), issue);
          assert.equal(await opened.issue(12), null);
          assert.deepEqual(await opened.closersOf(7), [12]);
          assert.deepEqual(await opened.closersOf(99), []);
          assert.deepEqual(await opened.closedIssues(found), kind === 'gitlab' ? [issue] : []);
          assert.ok(
            server.requests.every(({ headers }) => !('authorization' in headers || 'private-token' in headers)),
          );
        }));

      test('a token goes into a header, and nowhere else', () =>
        against(kind, { kind, token: TOKEN, tokenVariable: 'FORGE_TOKEN' }, async (opened, server) => {
          const cacheDirectory = await mkdtemp(join(directory, 'token-'));
          const options = { address: server.address, kind, environment: { FORGE_TOKEN: TOKEN }, cacheDirectory };
          const again = await openForge({ ...options, tokenVariable: 'FORGE_TOKEN' });
          assert.equal((await numbers(again)).includes(12), true);
          again.close();
          assert.ok(server.requests.every(({ path }) => !path.includes(TOKEN)));
          const names = await readdir(join(cacheDirectory, 'forges'));
          assert.ok(names.length > 1);
          for (const name of names)
            assert.ok(!`${name}${await readFile(join(cacheDirectory, 'forges', name), 'utf8')}`.includes(TOKEN));
          await assert.rejects(
            openForge({ ...options, tokenVariable: 'NO_SUCH' }),
            coded('BAD_OPTION', /--token-env: the variable NO_SUCH is not set/),
          );
          const anonymous = await openForge(options);
          await assert.rejects(numbers(anonymous), coded('FORGE_REFUSED', /it wants a token \(401\)/));
          anonymous.close();
          assert.equal(opened.kind, kind);
        }));

      test('what was read is not read again', () =>
        against(kind, { kind }, async (opened, server) => {
          const first = await numbers(opened);
          const asked = server.requests.length;
          assert.deepEqual(await numbers(opened), first);
          const later = server.requests.slice(asked);
          assert.deepEqual(
            later.map(({ status }) => status),
            WORDINGS[kind].etags ? later.map(() => 304) : [],
          );
          assert.equal(later.length, WORDINGS[kind].etags ? asked : 0);
        }));
    });

  const html: Trouble = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    return true;
  };
  const always =
    (status: number, headers: Record<string, string> = {}): Trouble =>
    (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(`{"message":"no ${TOKEN}"}`);
      return true;
    };
  const soon = String(Math.floor(Date.now() / 1000) + 3600);
  const TROUBLES: [string, Trouble, string, RegExp][] = [
    ['HTML', html, 'FORGE_FAILED', /it answers text\/html where JSON was asked for/],
    ['401', always(401), 'FORGE_REFUSED', /does not accept the token \(401\)/],
    ['403', always(403), 'FORGE_REFUSED', /may not read this \(403\)/],
    ['404', always(404), 'FORGE_REFUSED', /no such repository/],
    [
      '403 for an hour',
      always(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon }),
      'FORGE_LIMITED',
      /no more requests before 20\d\d-/,
    ],
    ['429 again and again', always(429, { 'retry-after': '0' }), 'FORGE_LIMITED', /no more requests/],
    ['a secondary limit that names no time', always(429), 'FORGE_LIMITED', /no more requests/],
    ['5xx for long', always(502), 'FORGE_FAILED', /it answers 502/],
    ['a body that is no list', always(200), 'FORGE_FAILED', /no list stands at/],
    [
      'a redirect to another server',
      (_, response) => {
        response.writeHead(301, { location: 'http://127.0.0.2:9/repos/ink/pot/pulls' }).end();
        return true;
      },
      'FORGE_FAILED',
      /another server, 127\.0\.0\.2:9/,
    ],
    [
      'a page elsewhere',
      (_, response) => {
        response.writeHead(200, { link: '<http://127.0.0.2:9/x>; rel="next"' }).end('[]');
        return true;
      },
      'FORGE_FAILED',
      /another server/,
    ],
    [
      'pages in a circle',
      (request, response) => {
        response.writeHead(200, { link: `<http://${request.headers.host}${request.url}>; rel="next"` }).end('[]');
        return true;
      },
      'FORGE_FAILED',
      /in a circle/,
    ],
    [
      'a body of 1 GB',
      (_, response) => {
        response.writeHead(200, { 'content-length': String(1024 ** 3) }).write('[');
        return true;
      },
      'FORGE_FAILED',
      /larger than \d+ bytes/,
    ],
    [
      'a body without end',
      (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
        };
        response.on('drain', more);
        more();
        return true;
      },
      'FORGE_FAILED',
      /larger than \d+ bytes/,
    ],
  ];
  describe('in trouble', () => {
    for (const [name, trouble, code, pattern] of TROUBLES)
      test(name, () =>
        against(
          'github',
          { kind: 'github', trouble, tokenVariable: 'FORGE_TOKEN', maxBytes: 1_000_000 },
          async (opened, server, waits) => {
            await assert.rejects(numbers(opened), coded(code, pattern));
            assert.ok(server.requests.length < 1000);
            assert.ok(waits.reduce((sum, each) => sum + each, 0) <= 15 * 60_000);
          },
        ),
      );

    test('a limit that is lifted soon is waited for, and a server that is down for a moment', () => {
      const answers = [always(403, { 'retry-after': '7' }), always(503), always(429, { 'retry-after': '3' })];
      const trouble: Trouble = (...given) => answers.shift()?.(...given) ?? false;
      return against('github', { kind: 'github', trouble }, async (opened, _, waits) => {
        assert.deepEqual(await numbers(opened), [15, 14, 13, 12, 11]);
        assert.deepEqual(waits, [7000, 1000, 3000]);
      });
    });

    test('a repository that was renamed is found where it went', () => {
      const trouble: Trouble = (request, response) => {
        if (!request.url?.includes('/ink/old/')) return false;
        response.writeHead(301, { location: request.url.replace('/ink/old/', '/ink/pot/') }).end('{"message":"Moved"}');
        return true;
      };
      return against('github', { trouble }, async (_, server) => {
        const cacheDirectory = await mkdtemp(join(directory, 'moved-'));
        const opened = await openForge({ address: `${server.origin}/ink/old`, environment: {}, cacheDirectory });
        assert.equal((await opened.pull(12))?.title, 'Keep rows');
        opened.close();
      });
    });

    test('a run that was broken off goes on where it was', () => {
      let isDown = true;
      const trouble: Trouble = (request, response, count) =>
        isDown && request.url?.includes('page=2') === true && always(500)(request, response, count);
      return against('github', { kind: 'github', trouble }, async (opened, server) => {
        await assert.rejects(numbers(opened), coded('FORGE_FAILED', /500.*What was read is kept/));
        isDown = false;
        const before = server.requests.length;
        assert.deepEqual(await numbers(opened), [15, 14, 13, 12, 11]);
        assert.deepEqual(
          server.requests.slice(before).map(({ status }) => status),
          [304, 200, 200],
        );
      });
    });
  });

  test('addresses and kinds that are none', async () => {
    const open = (options: Partial<ForgeOptions>): Promise<OpenedForge> =>
      openForge({ address: 'https://github.com/ink/pot', environment: {}, cacheDirectory: directory, ...options });
    for (const [options, pattern] of [
      [{ address: 'https://github.com/ink' }, /--forge: it is no address of a repository/],
      [{ address: 'https://github.com/ink/pot/pull/3' }, /--forge: it is no address of a repository/],
      [{ address: `https://me:${TOKEN}@github.com/ink/pot` }, /--forge: it holds credentials/],
      [{ address: 'https://github.com/ink/pot/more' }, /--forge: ink\/pot\/more is no owner and name/],
      [{ kind: 'cvs' }, /--forge-kind: it is github, gitlab, gitea/],
      [{ tokenVariable: 'X', environment: { X: `${TOKEN}\u00e9` } }, /--token-env: the variable X holds no token/],
    ] as const)
      await assert.rejects(open(options), coded('BAD_OPTION', pattern));
  });
});
