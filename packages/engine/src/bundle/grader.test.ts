/**
 * Runs the graders as Harbor's verifier does, as root and with the paths of the image, but in namespaces instead of a
 * container, and with a small runner that hands the channel to whatever the submission brings: the strongest position
 * that a candidate can have.
 */
import assert from 'node:assert/strict';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';
import { runCommand } from '@assay/sandbox';
import { ecosystemOf } from '../ecosystems/index.ts';
import { contractOf } from './contract.ts';
import { writeChangeFiles } from './change-files.ts';
import { sampleMeta } from './sample-content.ts';

const isRoot = process.getuid?.() === 0;

/**
 * T0, where `value` is bad. The one test that counts wants good, as the hidden `wanted` says; `steer` would overrule
 * it.
 */
const T0 = { value: 'bad', wanted: 'anything', 'dir/kept': 'kept', '.venv/state': 'tracked' };

interface Flavor {
  name: string;
  grader: string;
  runner: string;
  runnerText: string;
  program: string[];
  mounts: string[];
  hostile: string;
}

const FLAVORS: Flavor[] = [
  {
    name: 'grade.py',
    grader: fileURLToPath(ecosystemOf('python').image.grader.file),
    runner: 'launch.py',
    program: ['/usr/bin/python3', '-I', '/tests/grade.py'],
    mounts: [],
    hostile: 'hostile.py',
    runnerText: `
import json, os, sys
request = json.loads(sys.stdin.readline())
os.chdir(request["root"])
def emit(record, nonce=request["nonce"]):
    os.write(1, (json.dumps(dict(record, nonce=nonce)) + "\\n").encode())
def read(path):
    return open(path).read() if os.path.exists(path) else None
emit({"type": "start", "runner": "fixture"})
if os.path.exists("hostile.py"):
    exec(open("hostile.py").read())
passed = read("steer") == "pass" or read("value") == read("wanted")
emit({"type": "test", "id": "good", "status": "passed" if passed else "failed", "durationMs": 1})
emit({"type": "end", "tests": 1})
`,
  },
  {
    name: 'grade.mjs',
    grader: fileURLToPath(ecosystemOf('node').image.grader.file),
    runner: 'launch.mjs',
    program: ['/opt/node', '/tests/grade.mjs'],
    mounts: ['--ro-bind', process.execPath, '/opt/node'],
    hostile: 'hostile.mjs',
    runnerText: `
import fs from 'node:fs';
import child from 'node:child_process';
const request = JSON.parse(fs.readFileSync(0, 'utf8'));
process.chdir(request.root);
const emit = (record, nonce = request.nonce) => fs.writeSync(1, JSON.stringify({ ...record, nonce }) + '\\n');
const read = (path) => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null);
emit({ type: 'start', runner: 'fixture' });
if (fs.existsSync('hostile.mjs')) await new (Object.getPrototypeOf(async () => {}).constructor)('emit', 'fs', 'child', read('hostile.mjs'))(emit, fs, child);
const passed = read('steer') === 'pass' || read('value') === read('wanted');
emit({ type: 'test', id: 'good', status: passed ? 'passed' : 'failed', durationMs: 1 });
emit({ type: 'end', tests: 1 });
`,
  },
];

/** The same attack in both languages, on one line each. */
const ATTACKS: Record<string, { note: string; python: string; node: string }> = {
  'a record with another nonce': {
    note: 'a record of somebody else',
    python: 'emit({"type": "uncollected"}, "0" * 32)',
    node: "emit({ type: 'uncollected' }, '0'.repeat(32))",
  },
  'a line that is no record': {
    note: 'what is no record',
    python: 'os.write(1, b"hello\\n")',
    node: "fs.writeSync(1, 'hello\\n')",
  },
  'a test reported twice': {
    note: 'wrongly or twice',
    python: 'emit({"type": "test", "id": "good", "status": "passed"})',
    node: "emit({ type: 'test', id: 'good', status: 'passed' })",
  },
  'an early exit': { note: 'did not come to their end', python: 'os._exit(0)', node: 'process.exit(0)' },
  'an end without tests': {
    note: '1 of 1 expected tests did not pass',
    python: 'emit({"type": "end", "tests": 0}); os._exit(0)',
    node: "emit({ type: 'end', tests: 0 }); process.exit(0)",
  },
  'an end that counts wrongly': {
    note: 'did not come to their end',
    python: 'emit({"type": "test", "id": "good", "status": "passed"}); emit({"type": "end", "tests": 2}); os._exit(0)',
    node: "emit({ type: 'test', id: 'good', status: 'passed' }); emit({ type: 'end', tests: 2 }); process.exit(0)",
  },
  'a record after the end': {
    note: 'out of order',
    python: 'emit({"type": "end", "tests": 0})',
    node: "emit({ type: 'end', tests: 0 })",
  },
  'a test that never ends': {
    note: 'took longer than 4 seconds',
    python: 'import time\nwhile True: time.sleep(1)',
    node: 'await new Promise(() => setInterval(() => {}, 1000))',
  },
  'a flood': {
    note: 'was flooded',
    python: 'chunk = b"x" * 1048576\nfor _ in range(65): os.write(1, chunk)',
    node: "const chunk = 'x'.repeat(1048576); for (let i = 0; i < 65; i += 1) for (let n = 0; n < chunk.length; ) { try { n += fs.writeSync(1, chunk.slice(n)); } catch {} }",
  },
};

for (const flavor of FLAVORS) {
  const isPython = flavor.grader.endsWith('.py');

  describe(flavor.name, { skip: isRoot ? false : 'needs root' }, () => {
    let home: string;
    let counter = 0;

    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'assay-grade-test-'));
    });
    after(() => rm(home, { recursive: true, force: true }));

    interface Options {
      /** Files of the submission beside, or instead of, those of T0. */
      files?: Record<string, string>;
      remove?: string[];
      /** Changes the submission by hand, or the image. */
      prepare?: (paths: { submission: string; image: string }) => Promise<void>;
      steering?: string[];
      t0Link?: string;
      timeoutSec?: number;
    }

    /** Grades a submission and returns the answer and what was left behind. */
    async function grade({
      files = {},
      remove = [],
      prepare,
      steering = ['steer'],
      t0Link,
      timeoutSec = 60,
    }: Options): Promise<{ reward: number; note: string; leftOver: string; outside: string[] }> {
      const image = join(home, `image-${counter++}`);
      const [t0, tests, submission, outside] = ['t0', 'tests', 'workspace', 'outside'].map((name) =>
        join(image, name),
      ) as [string, string, string, string];
      await writeTree(t0, T0);
      if (t0Link !== undefined) await symlink(t0Link, join(t0, 'link'));
      for (const name of ['outside', 'logs', 'verifier', 'home', 'env/bin', 'runner', 'tests/environment'])
        await mkdir(join(image, name), { recursive: true });
      await create({ gzip: true, file: join(tests, 'environment', 'repo.tar.gz'), cwd: t0, portable: true }, ['.']);
      await writeChangeFiles(join(tests, 'hidden'), {
        files: [{ path: 'wanted', content: Buffer.from('good'), executable: false }],
        deleted: [],
      });
      const contract = contractOf({
        ...sampleMeta(),
        steering,
        fail_to_pass: ['good'],
        pass_to_pass: [],
        test: { ...sampleMeta().test, timeoutSec },
      });
      await writeFile(join(tests, 'contract.json'), JSON.stringify(contract));
      await copyFile(flavor.grader, join(tests, basename(flavor.grader)));
      await chmod(tests, 0o700);
      await writeFile(join(image, 'runner', flavor.runner), flavor.runnerText);
      await symlink('/usr/bin/python3', join(image, 'env', 'bin', 'python'));
      await cp(t0, submission, { recursive: true, verbatimSymlinks: true });
      for (const path of remove) await rm(join(submission, path), { recursive: true });
      await writeTree(submission, files);
      await chmod(join(image, 'logs'), 0o700);
      await prepare?.({ submission, image });
      const run = await inNamespaces(image);
      const logs = join(image, 'logs');
      const reward: unknown = JSON.parse(await readFile(join(logs, 'reward.json'), 'utf8')).reward;
      const details = JSON.parse(await readFile(join(logs, 'details.json'), 'utf8'));
      assert.ok(reward === 0 || reward === 1, run.stderr.toString());
      return {
        reward,
        note: `${details.note} ${run.stderr.toString()}`,
        leftOver: run.stdout.toString().split('---\n').at(-1) ?? '',
        outside: await readdir(outside),
      };
    }

    function inNamespaces(image: string): ReturnType<typeof runCommand> {
      const bind = (from: string, to: string): string[] => ['--bind', join(image, from), to];
      const after = 'echo ---; for s in /proc/[0-9]*/status; do grep -q "^Uid:.*10001" $s && echo alive; done; true';
      return runCommand(
        [
          'bwrap',
          '--ro-bind',
          '/usr',
          '/usr',
          '--symlink',
          'usr/bin',
          '/bin',
          '--symlink',
          'usr/lib',
          '/lib',
          '--symlink',
          'usr/lib64',
          '/lib64',
          '--ro-bind',
          '/etc',
          '/etc',
          '--proc',
          '/proc',
          '--dev',
          '/dev',
          '--tmpfs',
          '/tmp',
          '--unshare-pid',
          '--unshare-net',
          '--unshare-ipc',
          '--die-with-parent',
          '--cap-add',
          'ALL',
          ...['/opt', '/home', '/logs'].flatMap((path) => ['--perms', '0755', '--dir', path]),
          ...bind('tests', '/tests'),
          ...bind('workspace', '/workspace'),
          ...bind('verifier', '/verifier'),
          ...bind('logs', '/logs/verifier'),
          ...bind('outside', '/outside'),
          ...bind('home', '/home/sandbox'),
          ...bind('env', '/opt/env'),
          ...bind('runner', '/opt/runner'),
          ...flavor.mounts,
          'sh',
          '-c',
          `${flavor.program.join(' ')}; ${after}`,
        ],
        { timeoutMs: 120_000 },
      );
    }

    const hostile = (attack: { python: string; node: string }): Record<string, string> => ({
      [flavor.hostile]: isPython ? attack.python : attack.node,
    });

    test('the fix earns 1, nothing earns 0', async () => {
      const fixed = await grade({ files: { value: 'good' } });
      assert.equal(fixed.reward, 1, fixed.note);
      assert.match((await grade({})).note, /^1 of 1 expected tests did not pass/);
    });

    test('an empty submission earns 0', async () => {
      assert.equal((await grade({ remove: Object.keys(T0).filter((path) => !path.includes('/')) })).reward, 0);
    });

    for (const [name, attack] of Object.entries(ATTACKS)) {
      test(`${name} earns 0, though the fix is right`, async () => {
        const timeoutSec = name === 'a test that never ends' ? 4 : 60;
        const graded = await grade({ files: { value: 'good', ...hostile(attack) }, timeoutSec });
        assert.equal(graded.reward, 0);
        assert.ok(graded.note.includes(attack.note), graded.note);
        assert.equal(graded.leftOver, '');
      });
    }

    test('a steering file of the submission is not used; where nothing steers, it would be', async () => {
      assert.equal((await grade({ files: { steer: 'pass' } })).reward, 0);
      assert.equal((await grade({ files: { steer: 'pass' }, steering: [] })).reward, 1);
    });

    test('a hidden test is placed over what the agent left', async () => {
      assert.equal((await grade({ files: { wanted: 'bad' } })).reward, 0);
      assert.equal(
        (
          await grade({
            files: { value: 'good' },
            remove: ['wanted'],
            prepare: ({ submission }) => mkdir(join(submission, 'wanted')),
          })
        ).reward,
        1,
      );
    });

    const readContract = {
      python: 'open("value", "w").write("good") if os.access("/tests/contract.json", os.R_OK) else None',
      node: "try { fs.accessSync('/tests/contract.json'); fs.writeFileSync('value', 'good'); } catch {}",
    };
    test('the tests cannot read what the grader knows; they could if it were open', async () => {
      assert.equal((await grade({ files: hostile(readContract) })).reward, 0);
      const open = await grade({
        files: hostile(readContract),
        prepare: ({ image }) => chmod(join(image, 'tests'), 0o755),
      });
      assert.equal(open.reward, 1, open.note);
    });

    const writeLogs = {
      python: 'open("/logs/verifier/mine", "w"); open("value", "w").write("good")',
      node: "fs.writeFileSync('/logs/verifier/mine', ''); fs.writeFileSync('value', 'good')",
    };
    test('the tests cannot write where the reward lies; they could if it were open', async () => {
      assert.equal((await grade({ files: hostile(writeLogs) })).reward, 0);
      const open = await grade({
        files: hostile(writeLogs),
        prepare: ({ image }) => chmod(join(image, 'logs'), 0o777),
      });
      assert.equal(open.reward, 1, open.note);
    });

    test('a process that leaves its session is dead before the reward counts', async () => {
      const daemon = {
        python:
          'import subprocess; subprocess.Popen(["setsid", "sh", "-c", "trap \\"\\" TERM HUP; sleep 1000"], start_new_session=True)',
        node: "child.spawn('setsid', ['sh', '-c', 'trap \"\" TERM HUP; sleep 1000'], { detached: true, stdio: 'inherit' }).unref()",
      };
      const graded = await grade({ files: { value: 'good', ...hostile(daemon) } });
      assert.equal(graded.reward, 1, graded.note);
      assert.equal(graded.leftOver, '');
    });

    test('nothing is written through a link, of T0 or of the submission', async () => {
      const throughT0 = await grade({
        t0Link: '/outside',
        files: { value: 'good' },
        remove: ['link'],
        prepare: ({ submission }) => writeTree(submission, { 'link/file': 'x' }),
      });
      assert.equal(throughT0.reward, 1, throughT0.note);
      assert.deepEqual(throughT0.outside, []);
      const replaced = await grade({
        files: { value: 'good' },
        remove: ['dir', 'wanted'],
        prepare: async ({ submission }) => {
          await symlink('/outside', join(submission, 'dir'));
          await symlink('/outside/wanted', join(submission, 'wanted'));
        },
      });
      assert.equal(replaced.reward, 1, replaced.note);
      assert.deepEqual(replaced.outside, []);
    });

    test('a link in place of the fixed file is no file', async () => {
      const graded = await grade({
        remove: ['value'],
        prepare: async ({ submission, image }) => {
          await writeFile(join(image, 'outside', 'value'), 'good');
          await symlink('/outside/value', join(submission, 'value'));
        },
      });
      assert.equal(graded.reward, 0);
    });

    test('pipes, odd names and git data do not stop grading', async () => {
      const graded = await grade({
        files: { value: 'good', '.git/config': '[core]\n\tfsmonitor = "touch /outside/x"\n', 'sub/.git/HEAD': 'x' },
        prepare: async ({ submission }) => {
          await runCommand(['mkfifo', join(submission, 'pipe')]);
          await writeFile(Buffer.concat([Buffer.from(`${submission}/`), Buffer.from([0xff])]), '');
        },
      });
      assert.equal(graded.reward, 1, graded.note);
      assert.deepEqual(graded.outside, []);
    });

    test('output of tools is no part of a submission, unless T0 has it', async () => {
      const look = {
        python:
          'open("value", "w").write("good") if os.path.exists("__pycache__/new") or read(".venv/state") != "changed" else None',
        node: "if (fs.existsSync('__pycache__/new') || fs.readFileSync('.venv/state', 'utf8') !== 'changed') fs.writeFileSync('value', 'good');",
      };
      assert.equal(
        (await grade({ files: { '__pycache__/new': 'x', '.venv/state': 'changed', ...hostile(look) } })).reward,
        0,
      );
    });

    test('a submission that claims too much is not read', async () => {
      const graded = await grade({
        files: { value: 'good', big: '' },
        prepare: ({ submission }) => truncate(join(submission, 'big'), 65 * 1024 ** 2),
      });
      assert.match(graded.note, /^the submission is too large/);
    });
  });
}

async function writeTree(directory: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}
