import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { chooseProvider, type ExecOptions, type ExecResult, type Sandbox } from '@assay/sandbox';
import { checkSeals } from './check-seals.ts';
import { WaitingProcess } from './first-command.ts';

const TIMEOUT = 120_000;
const CWD = '/workspace';
/** Variables that perl would heed, and ones that a shell would not pass on. */
const ENV = {
  PERL5OPT: '-MNothing',
  PERL5LIB: '/workspace',
  PERL_UNICODE: 'SDA',
  'odd.name-1': 'täst\n2',
  EMPTY: '',
  LC_ALL: 'xx_XX.UTF-8',
};

async function inSandbox<T>(name: string, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const provider = await chooseProvider(name);
  const sandbox = await provider.create({ env: ENV, cwd: CWD });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.destroy();
  }
}

/** Checks the seals of a sandbox, which hold, and returns the process that waits in it. */
async function waitingIn(sandbox: Sandbox, name: string): Promise<WaitingProcess> {
  const provider = await chooseProvider(name);
  const { waiting } = await checkSeals(sandbox, {
    provider,
    unsealed: new Set(),
    lanePorts: [],
    environment: {},
    first: { timeoutMs: TIMEOUT, cwd: CWD },
  });
  assert.ok(waiting);
  return waiting;
}

type Seen = Pick<ExecResult, 'stdout' | 'stderr' | 'exitCode' | 'timedOut' | 'truncated' | 'outOfMemory'> & {
  heard: string;
};

async function run(exec: Sandbox['exec'], command: string, options: ExecOptions): Promise<Seen> {
  let heard = '';
  const { durationMs, ...result } = await exec(command, {
    timeout: TIMEOUT,
    ...options,
    onStdout: (text) => {
      heard += text;
    },
  });
  assert.ok((durationMs ?? 0) > 0);
  return { ...result, heard };
}

/**
 * Commands that print what a process inherits. Ids of processes and the device of standard input are left out.
 */
const INHERITED = [
  'tr "\\0" "\\n" < /proc/$$/environ | LC_ALL=C sort',
  'tr "\\0" " " < /proc/$$/cmdline',
  'pwd',
  'umask',
  'for each in /proc/$$/fd/*; do echo "${each##*/}"; done',
  'ulimit -a',
  'cat /proc/$$/comm',
  'grep -E "^(Sig|Shd|Cap|NoNewPrivs|Seccomp|Uid|Gid|Groups|Threads)" /proc/$$/status | grep -v SigQ',
  'readlink /proc/$$/ns/user /proc/$$/ns/net | wc -l',
  // Which user of the host it is differs between sandboxes.
  "awk '{ print $1, $3 }' /proc/$$/uid_map",
  'set -- /proc/[0-9]*; echo $#',
  'wc -l < /proc/net/tcp',
  'wc -l < /proc/net/unix',
  'id',
  'find /tmp /home/user /workspace /var/tmp /dev/shm',
  'trap',
].join('; ');

const COMMANDS: Record<string, [command: string, options?: ExecOptions]> = {
  'what is inherited': [INHERITED, { stdin: 'x' }],
  'an environment of its own': [
    'env -u _ | LC_ALL=C sort',
    { env: { ADDED: 'a\nb=c', EMPTY: 'no longer', PERL5OPT: '', PATH: '/workspace/bin:/usr/bin:/bin' } },
  ],
  'text on standard input': ['cat; echo end', { stdin: 'one\ntwo\n00000003abc' }],
  'bytes on standard input': [
    'sha256sum',
    { stdin: Buffer.from(Array.from({ length: 65_536 }, (_, index) => index % 256)) },
  ],
  'standard input opened again': ['sleep 0.2; cat /dev/stdin; echo end; cat', { stdin: 'again' }],
  'no standard input': ['cat; echo $?'],
  'standard input that nobody reads': ['echo done', { stdin: 'x'.repeat(65_536) }],
  'standard output and error': ['echo out; echo err >&2; printf "größer" ; exit 3'],
  'output opened again': ['echo a > /dev/stdout; echo b > /dev/stderr'],
  'words as they are': ['', { argv: ['printf', '<%s>', '', ' ', 'a\nb', '$HOME', 'ü', '--'] }],
  'a signal': ['kill -TERM $$'],
  'a working directory that is named': ['pwd', { cwd: CWD }],
  daemons: ['sleep 1000 & echo started'],
};

for (const name of ['bubblewrap', 'runc', 'runsc']) {
  describe(`${name}: what looked around becomes the first command`, () => {
    for (const [what, [command, options = {}]] of Object.entries(COMMANDS)) {
      test(`as a command that starts by itself: ${what}`, async () => {
        const plain = await inSandbox(name, (sandbox) => run((...all) => sandbox.exec(...all), command, options));
        const become = await inSandbox(name, async (sandbox) => {
          const waiting = await waitingIn(sandbox, name);
          assert.ok(waiting.fits(command, { timeout: TIMEOUT, ...options }));
          return run((line, all = {}) => waiting.become(line, all), command, options);
        });
        assert.deepEqual(become, plain);
        assert.ok(plain.stdout !== '' || plain.exitCode !== 0 || plain.stderr !== '');
      });
    }

    test('nothing of the look is left to be read', async () => {
      const { stdout } = await inSandbox(name, async (sandbox) =>
        (await waitingIn(sandbox, name)).become(
          'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" "\\n"; timeout 1 cat /proc/1/fd/0; cat',
          { stdin: 'own' },
        ),
      );
      assert.match(stdout, /perl\n-C0\n-tw/);
      assert.doesNotMatch(stdout, /192\.0\.2\.1|gethostbyname|socket|waitpid|ready/);
    });

    test('what cannot be run: 127 or 126, as it ends by itself', async () => {
      for (const [argv, code] of [
        [['not-there'], 127],
        [['/not/there'], 127],
        [['/etc/passwd'], 126],
      ] as const) {
        const end = await inSandbox(name, async (sandbox) =>
          (await waitingIn(sandbox, name)).become('', { argv: [...argv] }),
        );
        const plain = await inSandbox(name, (sandbox) => sandbox.exec('', { argv: [...argv] }));
        assert.deepEqual([end.exitCode, end.stdout, plain.exitCode], [code, '', code]);
        assert.ok(end.stderr.includes(argv[0]), end.stderr);
      }
    });

    test('a time limit and a signal end it', async () => {
      const result = await inSandbox(name, async (sandbox) => {
        const waiting = new WaitingProcess(sandbox, { timeoutMs: 5000, cwd: CWD }, ['0']);
        assert.equal(await waiting.looked, null);
        return waiting.become('echo out; echo err >&2; sleep 1000', { timeout: 5000 });
      });
      assert.deepEqual([result.timedOut, result.exitCode, result.stdout, result.stderr], [true, 124, 'out\n', 'err\n']);
      await inSandbox(name, async (sandbox) => {
        const stop = new AbortController();
        const waiting = await waitingIn(sandbox, name);
        await assert.rejects(
          waiting.become('echo out; sleep 1000', {
            signal: stop.signal,
            onStdout: () => stop.abort(new Error('enough')),
          }),
          { code: 'INTERRUPTED' },
        );
        assert.equal((await sandbox.exec('echo still there')).stdout, 'still there\n');
      });
    });

    test('closed, it has run nothing, and what comes next is a command of its own', async () => {
      await inSandbox(name, async (sandbox) => {
        const waiting = await waitingIn(sandbox, name);
        await waiting.close();
        await waiting.close();
        assert.ok(!waiting.fits('true', { timeout: TIMEOUT }));
        const everything = 'echo /workspace/* /tmp/*; set -- /proc/[0-9]*; echo $#';
        assert.equal(
          (await sandbox.exec(everything)).stdout,
          (await inSandbox(name, (other) => other.exec(everything))).stdout,
        );
      });
    });

    test('a sandbox that is destroyed takes it along', async () => {
      const waiting = await inSandbox(name, (sandbox) => waitingIn(sandbox, name));
      assert.ok(!waiting.fits('true', { timeout: TIMEOUT }));
    });
  });
}

test('what another time, place, channel or refusal is asked for is not its to become', async () => {
  await inSandbox('bubblewrap', async (sandbox) => {
    const waiting = await waitingIn(sandbox, 'bubblewrap');
    const fits = (options: ExecOptions, command = 'true'): boolean =>
      waiting.fits(command, { timeout: TIMEOUT, ...options });
    assert.ok(fits({}));
    const others: ExecOptions[] = [
      { timeout: 1 },
      { cwd: '/' },
      { argv: [] },
      { argv: ['a\0b'] },
      { argv: ['x'.repeat(131_072)] },
      { env: { 'a=b': '' } },
      { env: { '': '' } },
      { env: { A: 'x'.repeat(131_072) } },
      { expose: [] },
      { stdin: 'x'.repeat(65_537) },
      { stdin: Readable.from(['x']) },
    ];
    assert.deepEqual(
      others.map((options) => fits(options)),
      others.map(() => false),
    );
    assert.ok(!fits({}, 'x'.repeat(131_072)));
    assert.ok(!waiting.fits('true', {}));
  });
});

test('of a command with little time the look takes none', async () => {
  const provider = await chooseProvider('bubblewrap');
  await inSandbox('bubblewrap', async (sandbox) => {
    const { waiting } = await checkSeals(sandbox, {
      provider,
      unsealed: new Set(),
      lanePorts: [],
      environment: {},
      first: { timeoutMs: 1000, cwd: CWD },
    });
    assert.equal(waiting, null);
  });
});
