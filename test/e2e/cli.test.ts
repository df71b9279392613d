import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { RepositoryBuilder } from '../../packages/testkit/src/index.ts';
import { withLoadedOptions } from '../../packages/server/src/command.ts';
import { COMMANDS, GROUPS } from '../../packages/server/src/commands/index.ts';
import { assay, assertRefused, inheritedEnvironment, MAIN } from './assay-process.ts';

let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-cli-'));
});
after(() => rm(directory, { recursive: true, force: true }));

describe('help', () => {
  test('names every command and group, and fits 80 columns', async () => {
    const { exitCode, stdout, stderr } = await assay(['--help']);
    assert.equal(exitCode, 0);
    assert.equal(stderr, '');
    const named = [
      ...COMMANDS.filter(({ name }) => !name.includes(' ')).map(({ summary }) => summary),
      ...Object.values(GROUPS),
    ];
    for (const summary of named) assert.ok(stdout.replace(/\s+/g, ' ').includes(summary), summary);
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
  });

  for (const command of COMMANDS) {
    test(`${command.name}: every option, an example, either way of asking`, async () => {
      const { exitCode, stdout } = await assay([...command.name.split(' '), '--help']);
      assert.equal(exitCode, 0);
      const { options } = await withLoadedOptions(command);
      for (const option of [...Object.keys(options), 'json', 'help']) assert.ok(stdout.includes(`--${option}`), option);
      assert.ok(stdout.includes(command.example));
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80 || line.includes(command.example), line);
      assert.equal((await assay(['help', ...command.name.split(' ')])).stdout, stdout);
    });
  }

  test('no command at all is bad use, and shows the help on standard error', async () => {
    const { exitCode, stdout, stderr } = await assay([]);
    assert.equal(exitCode, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /^Usage: assay/);
  });

  test('the version', async () => {
    assert.match((await assay(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  test('a reader that goes away is no error', async () => {
    const { exitCode, stderr } = await runCommand(
      ['bash', '-o', 'pipefail', '-c', '"$0" "$1" run --help | head -n 1', process.execPath, MAIN],
      { env: inheritedEnvironment() },
    );
    assert.equal(exitCode, 0, stderr.toString('utf8'));
  });
});

describe('an answer that cannot be written', () => {
  const shell = (line: string): ReturnType<typeof runCommand> =>
    runCommand(['bash', '-c', line, process.execPath, MAIN], { cwd: directory, env: inheritedEnvironment() });
  /** Opens a pipe for writing as descriptor 4 and takes its only reader away. */
  const UNREAD = 'rm -f unread && mkfifo unread && exec 3<>unread 4>unread 3<&-';
  const cases: Record<string, [string, number, RegExp]> = {
    'JSON, on a full disk': ['"$0" "$1" standard new checklist --json >/dev/full', 5, /^error: [^\n]+\(ENOSPC\)\n$/],
    'for a person, on a full disk': ['"$0" "$1" standard new checklist >/dev/full', 5, /^error: [^\n]+\(ENOSPC\)\n$/],
    'help, on a full disk': ['"$0" "$1" --help >/dev/full', 5, /^error: [^\n]+\(ENOSPC\)\n$/],
    'a file that takes a part of it': ['ulimit -f 1; "$0" "$1" run --help >part', 5, /^error: [^\n]+\(EFBIG\)\n$/],
    'a reader that is gone: as SIGPIPE, without a word': [
      `${UNREAD}; "$0" "$1" standard new checklist --json >&4`,
      141,
      /^$/,
    ],
    'a command that fails keeps its own code': [
      '"$0" "$1" standard new nonsense --json >/dev/full',
      2,
      /^error: [^\n]+nonsense[^\n]+\nerror: [^\n]+\(ENOSPC\)\n$/,
    ],
  };
  for (const [name, [line, code, pattern]] of Object.entries(cases)) {
    test(name, async () => {
      const { exitCode, stderr } = await shell(line);
      assert.equal(exitCode, code, stderr.toString('utf8'));
      assert.match(stderr.toString('utf8'), pattern);
    });
  }

  test('a command at work ends and cleans up when nobody reads its standard error any more', async () => {
    await writeFile(join(directory, 'script.json'), JSON.stringify({ turns: [{ say: 'forty two' }] }));
    const { exitCode } = await shell(`${UNREAD}; "$0" "$1" fake-model --script script.json 2>&4`);
    assert.equal(exitCode, 141);
  });

  test('the bootstrap script refuses a closed standard output', async () => {
    const { exitCode, stderr } = await shell(`'${join(import.meta.dirname, '../../assay')}' --version >&-`);
    assert.deepEqual([exitCode, stderr.toString('utf8').split('\n').length], [5, 2]);
  });
});

describe('bad use: one line, exit 2', () => {
  const cases: Record<string, [string[], RegExp]> = {
    'an unknown command': [
      ['valdate'],
      /unknown command 'valdate'\. \(Did you mean validate\?\) There are: demo, doctor, mine/,
    ],
    'an unknown option': [['validate', 'x', '--rnus', '3'], /unknown option '--rnus' \(Did you mean --runs\?\)/],
    'a missing argument': [['validate'], /missing required argument 'path'/],
    'too many arguments': [['validate', 'a', 'b'], /too many arguments/],
    'a missing option': [['mine', 'x', '--pipeline', 'p'], /--out: name the directory for the tasks/],
    'no pipeline': [['mine', 'x', '--out', 'y'], /--pipeline: name where candidates come from/],
    'no source': [['mine', '--pipeline', 'p', '--out', 'y'], /source: name the repository/],
    'a time without its unit': [['mine', 'x', '--pipeline', 'p', '--out', 'y', '--budget', '30'], /such as 30m/],
    'a candidate that nobody examined': [['mine', '--out', 'y', '--explain', 'abcdef1'], /no run into it came to/],
    'an option without its value': [['mine', 'x', '--out'], /'--out <DIR>' argument missing/],
    'a count of 0': [
      ['validate', 'x', '--runs', '0'],
      /'--runs <N>' argument '0' is invalid\. Give a whole number of at least 1\./,
    ],
    'a count that is none': [
      ['run', 'x', '--agent', 'nop', '-k', '1e3'],
      /'-k, --attempts <N>' argument '1e3' is invalid/,
    ],
    'a negative time': [['run', 'x', '--agent', 'nop', '--timeout', '-1'], /argument/],
    'a date that is none': [
      ['mine', 'x', '--pipeline', 'p', '--out', 'y', '--since', 'yesterday'],
      /Give a date such as/,
    ],
    'a date that does not exist': [
      ['mine', 'x', '--pipeline', 'p', '--out', 'y', '--since', '2024-13-01'],
      /Give a date such as/,
    ],
    'an endpoint that is no URL': [
      ['mine', 'x', '--pipeline', 'p', '--out', 'y', '--model', 'm', '--endpoint', 'file:///etc'],
      /Give an http or https URL/,
    ],
    'a model without an endpoint': [
      ['mine', 'x', '--pipeline', 'p', '--out', 'y', '--model', 'm'],
      /--model: give --model and --endpoint together/,
    ],
    'words after -- where none go': [['validate', 'x', '--', 'y'], /takes nothing after --/],
    'a command for an agent that takes none': [
      ['run', 'x', '--agent', 'nop', '--', 'y'],
      /only --agent exec takes a command/,
    ],
    'a job to go on with that is not named': [['run', 'x', '--agent', 'nop', '--resume'], /--resume: say with --out/],
  };
  for (const [name, [words, pattern]] of Object.entries(cases)) {
    test(name, async () => {
      assertRefused(await assay(words), pattern);
    });
  }

  test('control characters in what was typed are made harmless', async () => {
    const { exitCode, stderr } = await assay(['\u001b]0;title\u0007\u001b[2J']);
    assert.equal(exitCode, 2);
    assert.ok(!stderr.includes('\u001b'));
  });

  test('with --json standard output is one document all the same', async () => {
    for (const words of [
      ['validate', '--json'],
      ['run', 'x', '--agent', 'nop', '--resume', '--json'],
      ['nothing', '--json'],
    ]) {
      const { exitCode, stdout, stderr } = await assay(words);
      assert.equal(exitCode, 2);
      const { error }: { error: { code: string; kind: string; message: string } } = JSON.parse(stdout);
      assert.equal(error.kind, 'user');
      assert.ok(stderr.includes(error.message.replace(/^error: /, '')));
    }
  });
});

describe('bad input: one line, exit 2', () => {
  const mine = (source: string, ...more: string[]): ReturnType<typeof assay> =>
    assay(['mine', source, '--pipeline', 'commit_runtime', '--out', join(directory, 'out'), ...more], {
      env: { ASSAY_CACHE: join(directory, 'cache') },
    });

  test('a directory that is no repository', async () => {
    const plain = join(directory, 'plain');
    await mkdir(plain);
    assertRefused(await mine(plain), /plain is no git repository/);
    assertRefused(await mine(join(directory, 'not there')), /error: /);
  });

  test('an empty repository', async () => {
    const empty = await RepositoryBuilder.create(join(directory, 'empty'));
    assertRefused(await mine(empty.directory), /has no commits/);
  });

  test('a shallow clone', async () => {
    const full = await RepositoryBuilder.create(join(directory, 'full'));
    await full.commit('one', { a: '1' });
    await full.commit('two', { a: '2' });
    const shallow = join(directory, 'shallow');
    await runCommand(['git', 'clone', '--quiet', '--depth', '1', `file://${full.directory}`, shallow]);
    assertRefused(await mine(shallow), /shallow clone.*git fetch --unshallow/);
  });

  test('a URL that cannot be reached', async () => {
    assertRefused(await mine('http://127.0.0.1:9/nobody/nothing.git'), /cannot clone http:\/\/127\.0\.0\.1:9/);
  });

  test('a URL that would run something', async () => {
    const marker = join(directory, 'ran');
    for (const url of [
      `ext::sh -c "touch ${marker}"`,
      '--upload-pack=touch',
      `-c core.sshCommand="touch ${marker}"`,
      'file::/etc',
      'fd::17',
    ]) {
      const { exitCode, stderr } = await mine(url);
      assert.equal(exitCode, 2, stderr);
      assert.equal(stderr.split('\n').length, 2, stderr);
    }
    const { exitCode } = await runCommand(['test', '-e', marker]);
    assert.equal(exitCode, 1);
  });

  test('an unknown pipeline', async () => {
    assertRefused(
      await assay(['mine', directory, '--pipeline', 'alchemy', '--out', join(directory, 'out')]),
      /no pipeline is called alchemy\. There are: commit_runtime/,
    );
  });

  test('an output directory that holds something else', async () => {
    const full = await RepositoryBuilder.create(join(directory, 'for-output'));
    await full.commit('one', { a: '1' });
    const occupied = join(directory, 'occupied');
    await mkdir(occupied);
    await writeFile(join(occupied, 'thesis.tex'), 'years of work');
    assertRefused(
      await assay(['mine', full.directory, '--pipeline', 'commit_runtime', '--out', occupied]),
      /occupied holds something else.*thesis\.tex/,
    );
    assertRefused(
      await assay(['mine', full.directory, '--pipeline', 'commit_runtime', '--out', join(occupied, 'thesis.tex')]),
      /cannot write to .*thesis\.tex: .*no directory/,
    );
  });

  test('a task that is none', async () => {
    for (const words of [
      ['validate', directory],
      ['run', directory, '--agent', 'nop'],
      ['grade', directory, '--submission', directory],
      ['cheats', directory],
    ]) {
      const { exitCode, stderr } = await assay(words);
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, /^error: [^\n]+\n$/);
    }
  });
});

describe('doctor', () => {
  test('--json is one document that names the providers', async () => {
    const { exitCode, stdout } = await assay(['doctor', '--json']);
    const machine: {
      providers: Array<{ name: string; available: boolean; isolation: string; limits: string; startMs: number | null }>;
      tools: unknown[];
    } = JSON.parse(stdout);
    assert.deepEqual(machine.providers.map(({ name }) => name).toSorted(), ['bubblewrap', 'runc', 'runsc']);
    for (const { available, startMs } of machine.providers) assert.equal(startMs !== null, available);
    assert.equal(exitCode, machine.providers.some(({ available }) => available) ? 0 : 5);
  });

  test('as text it has no control characters, and fits 80 columns', async () => {
    const { stdout } = await assay(['doctor'], { env: { NO_COLOR: '1' } });
    assert.match(stdout, /bubblewrap +(yes|partly|no) +namespace/);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f]/);
  });
});
