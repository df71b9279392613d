import { cp, lstat, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { AssayError, type OnProgress, type Verdict } from '@assay/protocol';
import { chooseProvider, runCommand } from '@assay/sandbox';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import { fetchContent, SUBMISSION_BYTES } from '@assay/judging/content/fetch-content';
import { openContentStore } from '@assay/judging/content/open-content-store';
import type { ChangeSet } from '@assay/files/change-set';
import { unsafePathReason } from '@assay/files/safe-path';
import { collectChange } from '@assay/files/tree-manifest';
import { openReceiptFile } from '@assay/judging/receipts/receipt-file';
import { subjectOfVerdict } from '@assay/judging/receipts/subject-of-verdict';
import { settle } from '@assay/files/store/failure-policy';
import { cacheDirectory } from '@assay/files/store/paths';
import { modelJudge, type ModelAddress } from '@assay/judging/model-judge';
import { openTask } from '../kinds/open-task.ts';
import type { OpenTask, ScenarioHost, TaskVerdict, VerifyOptions } from '../kinds/kind.ts';
import { refusedSubmission, verifyByPolicy } from '../kinds/verify-by-policy.ts';

export interface GradeOptions {
  task: string;
  submission: string;
  provider?: string;
  /** The model that judges, where a standard needs one. */
  judge?: ModelAddress;
  /** Opens tasks of scenarios. */
  scenarios?: ScenarioHost;
  /** File for the signed receipt; must not exist. */
  receipt?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Grades a submission given by hand: a directory that holds the repository as it shall be, or a unified diff against
 * T0; where one file counts, the directory or that file. What fails for a moment is tried again. Throws
 * `SUBMISSION_REFUSED` when the submission holds links, special files or paths that lead out, or a diff that does not
 * apply; `OUTPUT_UNWRITABLE` when there is a file in the place of the receipt.
 */
export async function gradeSubmission(options: GradeOptions): Promise<Verdict> {
  const { task, submission, judge, scenarios, receipt, signal, onEvent } = options;
  const startedAt = new Date();
  // Whatever would keep the receipt from being written ends it before the work.
  const sign = receipt === undefined ? null : await openReceiptFile(receipt);
  const provider = await chooseProvider(options.provider);
  const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: task, text });
  const opened = await settle({ place: 'item', item: task, signal }, () =>
    openTask(task, { provider, cacheDirectory: cacheDirectory(), progress, scenarios, signal }),
  );
  if ('failure' in opened) throw opened.error;
  const open = opened.value;
  const { verdict, judgement, ...graded } = await gradeGiven(open, resolve(submission), {
    provider,
    ...modelJudge(judge),
    signal,
  });
  await sign?.(
    subjectOfVerdict(verdict, {
      task: open.task.id,
      provider: graded.provider,
      judgement,
      startedAt,
      finishedAt: new Date(),
    }),
    await open.verifierDigest(),
  );
  return verdict;
}

async function gradeGiven(open: OpenTask, path: string, options: VerifyOptions): Promise<TaskVerdict> {
  const nothing: ChangeSet = { files: [], deleted: [] };
  const given = await readSubmission(path, open).catch((error: unknown) =>
    refusedSubmission(open, nothing, { ...options, error }),
  );
  return 'verdict' in given ? given : verifyByPolicy(open, given, options);
}

/** Reads a submission given by hand as a change against T0. Throws `SUBMISSION_REFUSED`. */
export async function readSubmission(path: string, open: OpenTask): Promise<ChangeSet> {
  const entry = await lstat(path).catch(() => null);
  if (!entry) throw new AssayError('SUBMISSION_REFUSED', { path, detail: 'it does not exist' });
  if (entry.isDirectory()) return readDirectory(path, path, open);
  if (!entry.isFile())
    throw new AssayError('SUBMISSION_REFUSED', {
      path,
      detail: `it is neither a directory nor ${open.answer === undefined ? 'a patch' : 'a file'}`,
    });
  if (open.answer !== undefined) return readAnswer(path, open.answer);
  return withPatched(path, open, (directory) => readDirectory(directory, path, open));
}

async function readAnswer(path: string, answer: string): Promise<ChangeSet> {
  const { bytes } = await fetchContent(
    { kind: 'file', path },
    { store: openContentStore(), maxBytes: SUBMISSION_BYTES, allowLocal: true },
  );
  return { files: [{ path: answer, content: bytes, executable: false }], deleted: [] };
}

async function readDirectory(directory: string, path: string, { t0, t0Directory }: OpenTask): Promise<ChangeSet> {
  await refuseLinks({ root: directory, t0Directory, path }, '');
  return (await collectChange(directory, t0)).change;
}

/**
 * A copy of T0 with the patch applied, by git, which takes binary patches, renames and odd names, and refuses paths
 * that lead out.
 */
async function withPatched<T>(
  patch: string,
  { t0Directory }: OpenTask,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await makeTemporaryDirectory('patched');
  try {
    await cp(t0Directory, directory, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => basename(source) !== '.git',
    });
    const applied = await runCommand(['git', 'apply', '--whitespace=nowarn', '--', patch], {
      cwd: directory,
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CEILING_DIRECTORIES: tmpdir(),
        LC_ALL: 'C',
      },
    });
    if (applied.exitCode !== 0)
      throw new AssayError('SUBMISSION_REFUSED', {
        path: patch,
        detail: `it does not apply to T0: ${applied.stderr.toString('utf8').trim().split('\n')[0] ?? ''}`,
      });
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Throws for links and special files, which would be filtered out of an agent's work. Links of T0 itself may stay. */
async function refuseLinks(
  where: { root: string; t0Directory: string; path: string },
  relative: string,
): Promise<void> {
  for (const entry of await readdir(join(where.root, relative), { withFileTypes: true })) {
    if (relative === '' && (entry.name === '.git' || entry.name === 'node_modules')) continue;
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
    const reason = unsafePathReason(path);
    if (reason !== null)
      throw new AssayError('SUBMISSION_REFUSED', { path: where.path, detail: `${JSON.stringify(path)}: ${reason}` });
    if (entry.isDirectory()) await refuseLinks(where, path);
    else if (!entry.isFile() && !(await isLinkOfT0(where, path)))
      throw new AssayError('SUBMISSION_REFUSED', {
        path: where.path,
        detail: `${JSON.stringify(path)} is a link or special file`,
      });
  }
}

async function isLinkOfT0(
  { root, t0Directory }: { root: string; t0Directory: string },
  path: string,
): Promise<boolean> {
  const [now, then] = await Promise.all(
    [root, t0Directory].map((directory) => readlink(join(directory, path)).catch(() => null)),
  );
  return now !== null && now === then;
}
