import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeCache } from '@assay/testkit';
import { buildDemoRepository } from '../../packages/engine/src/commands/demo/demo-repository.ts';
import { DatasetLedger, type CandidateRecord, type JobResult } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { assay, assertRefused, inheritedEnvironment, MAIN, type Ended } from './assay-process.ts';

let directory = '';
let tasks = '';
let task = '';
/** The repository as the reference solution leaves it. */
let solved = '';

/** As `assay`, with the cache of this file's run. */
const call = (...words: string[]): Promise<Ended> =>
  assay(words, { cwd: directory, env: { ASSAY_CACHE: join(directory, 'cache') } });

/** `--json` goes before the words after `--`. */
async function callJson<T>(exitCode: number, ...words: string[]): Promise<T> {
  const [command = '', ...rest] = words;
  const ended = await call(command, '--json', ...rest);
  assert.equal(ended.exitCode, exitCode, ended.stderr);
  return JSON.parse(ended.stdout);
}

interface Mined {
  candidates: number;
  admitted: number;
  rejected: Record<string, number>;
  tasks: string[];
  elapsedMs: number;
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-tasks-'));
  await makeCache(join(directory, 'cache'));
  solved = join(directory, 'repository');
  tasks = join(directory, 'tasks');
  await buildDemoRepository(solved);
  const { tasks: ids } = await callJson<Mined>(0, 'mine', solved, '--pipeline', 'commit_runtime', '--out', tasks);
  task = join(tasks, ids[0] ?? '');
});
after(() => rm(directory, { recursive: true, force: true }));

describe('mine', () => {
  test('admits the fix, and answers the same from its cache', async () => {
    const again = await callJson<Mined>(
      0,
      'mine',
      solved,
      '--pipeline',
      'commit_runtime',
      '--out',
      join(directory, 'again'),
    );
    assert.equal(again.admitted, 1);
    assert.deepEqual(
      again.tasks,
      (await readdir(join(directory, 'again')))
        .filter((name) => !/^(dataset\.json|candidates\.jsonl)$/.test(name))
        .toSorted(),
    );
    assert.equal(
      again.candidates,
      again.admitted + Object.values(again.rejected).reduce((sum, count) => sum + count, 0),
    );
  });

  test('explains how one candidate ended, by the digits of its commit', async () => {
    const { mined } = DatasetLedger.parse(JSON.parse(await readFile(join(tasks, 'dataset.json'), 'utf8')));
    const [end] = mined[0]?.candidates ?? [];
    const commit = end?.commit ?? '';
    assert.match(commit, /^[0-9a-f]{40}$/);
    const explained = await callJson<CandidateRecord>(0, 'mine', '--out', tasks, '--explain', commit.slice(0, 9));
    assert.deepEqual([explained.commit, explained.outcome, explained.stage], [commit, 'admitted', 'proof']);
    assert.ok(['build', 'environment', 'prove', 'proof'].every((stage) => stage in (explained.seconds ?? {})));
    const { stdout } = await call('mine', '--out', tasks, '--explain', commit);
    assert.match(stdout, /^end +admitted: \S+$/m);
  });

  test('exits 3 when nothing is admitted, and shows the funnel', async () => {
    const { exitCode, stdout } = await call(
      'mine',
      solved,
      '--pipeline',
      'commit_runtime',
      '--out',
      join(directory, 'none'),
      '--since',
      '2030-01-01',
    );
    assert.equal(exitCode, 3);
    assert.match(
      stdout,
      /^0 commits walked, 0 with code and tests of a known language\n\ngate +fell +left\ncandidates +0\nadmitted +0\n/,
    );
  });
});

describe('validate', () => {
  test('holds: reference N of N, no-op 0 of N', async () => {
    const {
      tasks: [report],
    } = await callJson<{ tasks: Array<{ reference: object; noop: object; leaks: []; admitted: boolean }> }>(
      0,
      'validate',
      task,
      '--runs',
      '2',
    );
    assert.deepEqual(report?.reference, { runs: 2, passes: 2 });
    assert.deepEqual(report?.noop, { runs: 2, passes: 0 });
    assert.deepEqual(report?.leaks, []);
    assert.equal(report?.admitted, true);
  });
});

describe('run', () => {
  test('the oracle passes, the no-op does not, and both are jobs that are done', async () => {
    const oracle = await callJson<JobResult>(0, 'run', tasks, '--agent', 'oracle', '--out', join(directory, 'oracle'));
    assert.deepEqual([oracle.summary.trials, oracle.summary.passed, oracle.summary.passRate], [1, 1, 1]);
    assert.equal(oracle.trials[0]?.reward, 1);
    const nop = await callJson<JobResult>(
      0,
      'run',
      task,
      '--agent',
      'nop',
      '-k',
      '2',
      '-n',
      '2',
      '--out',
      join(directory, 'nop'),
    );
    assert.deepEqual(
      nop.trials.map(({ reward }) => reward),
      [0, 0],
    );
    assert.equal(nop.summary.passRate, 0);
  });

  test('exec: one word is a shell line, several are words; the instruction is given twice', async () => {
    const line = 'cat >from-input; printf %s "$ASSAY_INSTRUCTION" >from-environment';
    const { directory: job } = await callJson<JobResult>(
      0,
      'run',
      task,
      '--agent',
      'exec',
      '--out',
      join(directory, 'line'),
      '--',
      line,
    );
    const [trial = ''] = await readdir(join(job, 'trials'));
    const submission = join(job, 'trials', trial, 'submission');
    const told = await Promise.all(['from-input', 'from-environment'].map((name) => findFile(submission, name)));
    const instruction = await readFile(join(task, 'instruction.md'), 'utf8');
    for (const text of told) assert.equal(text.trim(), instruction.trim());

    const words = ['sh', '-c', 'printf "%s|" "$@" >words', 'sh', 'two words', "it's", '$HOME', ''];
    const second = await callJson<JobResult>(
      0,
      'run',
      task,
      '--agent',
      'exec',
      '--out',
      join(directory, 'words'),
      '--',
      ...words,
    );
    const [other = ''] = await readdir(join(second.directory, 'trials'));
    assert.equal(
      await findFile(join(second.directory, 'trials', other, 'submission'), 'words'),
      "two words|it's|$HOME||",
    );
  });

  test('an occupied directory is refused, --resume goes on only with the same job', async () => {
    const out = join(directory, 'resumed');
    await callJson<JobResult>(0, 'run', task, '--agent', 'nop', '--out', out);
    assertRefused(await call('run', task, '--agent', 'nop', '--out', out), /resumed/);
    const resumed = await callJson<JobResult>(0, 'run', task, '--agent', 'nop', '--out', out, '--resume');
    assert.equal(resumed.summary.trials, 1);
    assertRefused(await call('run', task, '--agent', 'oracle', '--out', out, '--resume'), /another job/);
    await writeFile(join(directory, 'a-file'), '');
    assertRefused(await call('run', task, '--agent', 'nop', '--out', join(directory, 'a-file')), /a-file/);
  });

  test('unknown names are told with those that exist', async () => {
    assertRefused(
      await call('run', task, '--agent', 'hal9000'),
      /no agent is called hal9000\. There are: oracle, nop, exec, loop, single-turn, .*cheat:/,
    );
    assertRefused(await call('run', task, '--agent', 'exec'), /--agent exec/);
    assertRefused(
      await call('run', task, '--agent', 'nop', '--unseal', 'front-door'),
      /no seal is called front-door\. There are: instruction, history/,
    );
    assertRefused(
      await call('run', task, '--agent', 'nop', '--provider', 'cardboard'),
      /no provider is called cardboard\. There are: .*bubblewrap/,
    );
  });

  test('an unsealed verdict says so', async () => {
    const {
      trials: [trial],
    } = await callJson<JobResult>(
      0,
      'run',
      task,
      '--agent',
      'cheat:B1',
      '--unseal',
      'history',
      '--out',
      join(directory, 'unsealed'),
    );
    assert.equal(trial?.reward, 1);
    assert.equal(trial?.trust.level, 'unsealed');
  });

  test('Ctrl-C ends with 130, leaves no process, and --resume does what is missing', async () => {
    const out = join(directory, 'interrupted');
    const marker = `${process.pid}98765`;
    const words = ['run', task, '--agent', 'exec', '--timeout', '10', '--out', out];
    const rest = ['--', `sleep ${marker}`];
    const child = spawn(process.execPath, [MAIN, ...words, ...rest], {
      cwd: directory,
      env: inheritedEnvironment({ ASSAY_CACHE: join(directory, 'cache') }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    while (child.exitCode === null && !(await isRunning(marker, child.pid))) await sleep(50);
    child.kill('SIGINT');
    const [exitCode] = await ended;
    assert.equal(exitCode, 130);
    assert.equal(await isRunning(marker, child.pid), false);
    for (const file of await readdir(out, { recursive: true }))
      if (file.endsWith('.json')) JSON.parse(await readFile(join(out, file), 'utf8'));
    const { stdout } = await call(...words, '--resume', '--json', ...rest);
    const resumed: JobResult = JSON.parse(stdout);
    assert.deepEqual(
      resumed.trials.map(({ outcome }) => outcome),
      ['fail'],
    );
  });
});

/** Whether a process other than `except` has `text` on its command line. */
async function isRunning(text: string, except?: number): Promise<boolean> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== except);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.some((line) => line.includes(text) && !line.includes('main.ts'));
}

async function findFile(root: string, name: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const found = entries.find((entry) => entry.name === name && entry.isFile());
  assert.ok(found, `${name} under ${root}: ${entries.map((entry) => entry.name).join(' ')}`);
  return readFile(join(found.parentPath, name), 'utf8');
}

describe('grade', () => {
  test('a directory with the fix passes, one without fails with exit 1', async () => {
    const verdict = await callJson<{ outcome: string; reward: number }>(0, 'grade', task, '--submission', solved);
    assert.deepEqual([verdict.outcome, verdict.reward], ['pass', 1]);
    const before = join(directory, 'before');
    await cp(solved, before, { recursive: true });
    await runCommand(['git', '-c', `safe.directory=${before}`, 'checkout', '--quiet', 'HEAD~1'], { cwd: before });
    const failed = await callJson<{ outcome: string; reward: number }>(1, 'grade', task, '--submission', before);
    assert.deepEqual([failed.outcome, failed.reward], ['fail', 0]);
  });

  test('a patch passes too', async () => {
    const { stdout } = await runCommand(
      ['git', '-c', `safe.directory=${solved}`, 'diff', 'HEAD~1', 'HEAD', '--', 'src'],
      { cwd: solved },
    );
    await writeFile(join(directory, 'fix.patch'), stdout);
    const { exitCode, stdout: text, stderr } = await call('grade', task, '--submission', join(directory, 'fix.patch'));
    assert.equal(exitCode, 0, stderr);
    assert.match(text, /^pass, reward 1\n/);
  });

  test('links and paths that lead out are refused', async () => {
    const linked = join(directory, 'linked');
    await cp(solved, linked, { recursive: true });
    await symlink('/etc/passwd', join(linked, 'src/passwd'));
    assertRefused(await call('grade', task, '--submission', linked), /src\/passwd.*link/);
    const out = '--- /dev/null\n+++ b/../../escaped\n@@ -0,0 +1 @@\n+out\n';
    await writeFile(
      join(directory, 'out.patch'),
      `diff --git a/../../escaped b/../../escaped\nnew file mode 100644\n${out}`,
    );
    assertRefused(await call('grade', task, '--submission', join(directory, 'out.patch')), /out\.patch is refused/);
    const link =
      'diff --git a/src/l b/src/l\nnew file mode 120000\n--- /dev/null\n+++ b/src/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n';
    await writeFile(join(directory, 'link.patch'), link);
    assertRefused(await call('grade', task, '--submission', join(directory, 'link.patch')), /src\/l.*link/);
    assertRefused(await call('grade', task, '--submission', join(directory, 'nowhere')), /nowhere/);
  });
});

describe('a bundle that cannot be trusted is refused by every command', () => {
  const commands = (path: string): string[][] => [
    ['validate', path],
    ['run', path, '--agent', 'nop'],
    ['grade', path, '--submission', solved],
    ['cheats', path],
  ];

  async function spoilt(name: string, spoil: (copy: string) => Promise<void>): Promise<string> {
    const copy = join(directory, name);
    await cp(task, copy, { recursive: true });
    await spoil(copy);
    return copy;
  }

  test('altered', async () => {
    const copy = await spoilt('altered', (path) => appendFile(join(path, 'instruction.md'), '\nThe answer is 42.\n'));
    for (const words of commands(copy)) assertRefused(await call(...words), /altered was altered/);
  });

  test('with a link in it', async () => {
    const copy = await spoilt('with-link', (path) => symlink('/etc/passwd', join(path, 'tests/passwd')));
    for (const words of commands(copy)) assertRefused(await call(...words), /with-link/);
  });

  test('with a broken task.toml: file, line and field are named', async () => {
    const copy = await spoilt('broken', async (path) => {
      const text = await readFile(join(path, 'task.toml'), 'utf8');
      await writeFile(join(path, 'task.toml'), text.replace(/^t0 = .*$/m, 't0 = 7'));
    });
    const line = (await readFile(join(copy, 'task.toml'), 'utf8')).split('\n').indexOf('t0 = 7') + 1;
    for (const words of commands(copy))
      assertRefused(await call(...words), new RegExp(`broken/task\\.toml:${line}: metadata\\.assay\\.t0: `));
    await writeFile(join(copy, 'task.toml'), 'schema_version = "1.4"\n[task\n');
    for (const words of commands(copy)) assertRefused(await call(...words), /broken\/task\.toml:2: /);
  });
});

describe('cheats', () => {
  test('one is blocked, and its control succeeds', async () => {
    const { cheats } = await callJson<{
      cheats: Array<{
        id: string;
        blocked: boolean;
        control: boolean;
        sealed: { reward: number; trust: { level: string } };
        unsealed: { reward: number };
      }>;
    }>(0, 'cheats', task, '--only', 'B1');
    assert.equal(cheats.length, 1);
    assert.deepEqual(
      [cheats[0]?.blocked, cheats[0]?.control, cheats[0]?.sealed.reward, cheats[0]?.unsealed.reward],
      [true, true, 0, 1],
    );
  });

  test('an unknown id is bad use', async () => {
    assertRefused(await call('cheats', task, '--only', 'Z9'), /Z9/);
  });
});

describe('demo', () => {
  test('tells the story: only the honest solution scores with every seal on', async () => {
    const demo = await callJson<{
      task: string;
      proof: { reference: { runs: number; passes: number }; noop: { runs: number; passes: number } };
      trials: Array<{ agent: string; sealed: boolean; reward: number }>;
      elapsedMs: number;
    }>(0, 'demo');
    assert.ok(demo.proof.reference.runs >= 3);
    assert.equal(demo.proof.reference.passes, demo.proof.reference.runs);
    assert.equal(demo.proof.noop.passes, 0);
    const cheats = demo.trials.filter(({ agent }) => agent.startsWith('cheat:'));
    assert.equal(new Set(cheats.map(({ agent }) => agent)).size, 3);
    for (const { sealed, reward } of cheats) assert.equal(reward, sealed ? 0 : 1);
    assert.equal(demo.trials.filter(({ sealed, reward }) => sealed && reward === 1).length, 1);
    assert.equal(typeof demo.elapsedMs, 'number');
  });
});
