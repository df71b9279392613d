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
import { writeChangeFiles } from '../bundle/change-files.ts';
import { contractOf } from '../bundle/contract.ts';
import { sampleMeta } from '../bundle/sample-content.ts';
import { runGrader } from './grader-namespaces.fixture.ts';
import type { ImageFacet } from './image-facet.ts';

const isRoot = process.getuid?.() === 0;

/**
 * T0, where `value` is bad. The one test that counts wants good, as the hidden `wanted` says; `steer` would overrule
 * it.
 */
const T0 = { value: 'bad', wanted: 'anything', 'dir/kept': 'kept', '.venv/state': 'tracked' };

/** One grader, and code in its runner's language. */
export interface GraderSubject {
  grader: ImageFacet['grader'];
  /** The command that runs it in the image, without its shell line. */
  program: string[];
  /** Arguments of bwrap that bring its interpreter. */
  mounts: string[];
  /** Puts what the grader expects below `/opt/env` into a directory. */
  environment?: (directory: string) => Promise<void>;
  /**
   * A runner under the name that the grader starts. It reads the request from standard input and answers without a
   * signature: `start`; then what {@link hostile} says, when the workspace has that file; then the test `good`, which
   * passes where `steer` says `pass` or `value` equals `wanted`; then `end`.
   */
  runner: { name: string; text: string };
  /** The file of code that the runner runs, with the means to write records. */
  hostile: string;
  attacks: Record<GraderAttack, string>;
}

export type GraderAttack =
  | keyof typeof NOTES
  /** Writes `good` to `value` when it can read `/tests/contract.json`. */
  | 'reads the contract'
  /** Writes `/logs/verifier/mine`, and then `good` to `value`. */
  | 'writes where the reward lies'
  /** Starts a process in a session of its own that ends on no signal but the last. */
  | 'leaves a daemon'
  /** Writes `good` to `value` when there is `__pycache__/new`, or `.venv/state` is not `changed`. */
  | 'looks for output of tools';

/** A text for the channel, and the grader's answer to it. */
const NOTES = {
  'a record with another nonce': 'a record of somebody else',
  'a line that is no record': 'what is no record',
  'a test reported twice': 'wrongly or twice',
  'an early exit': 'did not come to their end',
  'an end without tests': '1 of 1 expected tests did not pass',
  'an end that counts wrongly': 'did not come to their end',
  'a record after the end': 'out of order',
  'a test that never ends': 'took longer than 4 seconds',
  'a flood': 'was flooded',
};

/**
 * Declares the tests that every grader passes. It runs as Harbor's verifier runs it, as root and with the paths of the
 * image, but in namespaces of its own instead of a container, and with a small runner that hands the channel to whatever
 * the submission brings: the strongest position a candidate can have.
 */
export function graderConformance(subject: GraderSubject): void {
  const grader = fileURLToPath(subject.grader.file);
  const hostile = (attack: GraderAttack): Record<string, string> => ({ [subject.hostile]: subject.attacks[attack] });

  describe(`grader conformance: ${basename(grader)}`, { skip: isRoot ? false : 'needs root' }, () => {
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
      steering = ['**/{steer,steer.d/**}'],
      t0Link,
      timeoutSec = 60,
    }: Options): Promise<{ reward: number; note: string; leftOver: string; outside: string[] }> {
      const image = join(home, `image-${counter++}`);
      const [t0, tests, submission, outside] = ['t0', 'tests', 'workspace', 'outside'].map((name) =>
        join(image, name),
      ) as [string, string, string, string];
      await writeTree(t0, T0);
      if (t0Link !== undefined) await symlink(t0Link, join(t0, 'link'));
      for (const name of ['outside', 'logs', 'verifier', 'home', 'env', 'runner', 'tests/environment'])
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
      await copyFile(grader, join(tests, basename(grader)));
      await chmod(tests, 0o700);
      await writeFile(join(image, 'runner', subject.runner.name), subject.runner.text);
      await subject.environment?.(join(image, 'env'));
      await cp(t0, submission, { recursive: true, verbatimSymlinks: true });
      for (const path of remove) await rm(join(submission, path), { recursive: true });
      await writeTree(submission, files);
      await chmod(join(image, 'logs'), 0o700);
      await prepare?.({ submission, image });
      const run = await runGrader({
        image,
        places: { verifier: '/verifier', env: '/opt/env', runner: '/opt/runner' },
        mounts: subject.mounts,
        program: subject.program.join(' '),
      });
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

    test('the fix earns 1, nothing earns 0', async () => {
      const fixed = await grade({ files: { value: 'good' } });
      assert.equal(fixed.reward, 1, fixed.note);
      assert.match((await grade({})).note, /^1 of 1 expected tests did not pass/);
    });

    test('an empty submission earns 0', async () => {
      assert.equal((await grade({ remove: Object.keys(T0).filter((path) => !path.includes('/')) })).reward, 0);
    });

    for (const [name, note] of typedEntries(NOTES)) {
      test(`${name} earns 0, though the fix is right`, async () => {
        const timeoutSec = name === 'a test that never ends' ? 4 : 60;
        const graded = await grade({ files: { value: 'good', ...hostile(name) }, timeoutSec });
        assert.equal(graded.reward, 0);
        assert.ok(graded.note.includes(note), graded.note);
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

    test('the tests cannot read what the grader knows; they could if it were open', async () => {
      assert.equal((await grade({ files: hostile('reads the contract') })).reward, 0);
      const open = await grade({
        files: hostile('reads the contract'),
        prepare: ({ image }) => chmod(join(image, 'tests'), 0o755),
      });
      assert.equal(open.reward, 1, open.note);
    });

    test('the tests cannot write where the reward lies; they could if it were open', async () => {
      assert.equal((await grade({ files: hostile('writes where the reward lies') })).reward, 0);
      const open = await grade({
        files: hostile('writes where the reward lies'),
        prepare: ({ image }) => chmod(join(image, 'logs'), 0o777),
      });
      assert.equal(open.reward, 1, open.note);
    });

    test('a process that leaves its session is dead before the reward counts', async () => {
      const graded = await grade({ files: { value: 'good', ...hostile('leaves a daemon') } });
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
      assert.equal(
        (
          await grade({
            files: { '__pycache__/new': 'x', '.venv/state': 'changed', ...hostile('looks for output of tools') },
          })
        ).reward,
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

const typedEntries = (notes: typeof NOTES): [keyof typeof NOTES, string][] =>
  // Object.entries forgets the type of the keys.
  Object.entries(notes) as [keyof typeof NOTES, string][];
