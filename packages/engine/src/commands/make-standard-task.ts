import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { AssayError, type OnProgress, type Standard, type TaskReport, type StandardTaskResult } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { answerFileOf } from '../bundle/standard/answer-file.ts';
import { harborGrading } from '../bundle/standard/harbor-grading.ts';
import { writeStandardTask, type StandardContent } from '../bundle/standard/write-standard-task.ts';
import { readTask, readTaskOf } from '../bundle/read-task.ts';
import { WORKSPACE } from '../bundle/dockerfiles.ts';
import { fetchContent, SUBMISSION_BYTES } from '@assay/judging/content/fetch-content';
import { openContentStore } from '@assay/judging/content/open-content-store';
import { parseReference } from '@assay/judging/content/parse-reference';
import type { ChangeSet } from '@assay/files/change-set';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import { publicView } from '@assay/judging/standards/public-view';
import { verifyAnswer } from '../kinds/standard/verify-answer.ts';
import { fetchStandard } from '@assay/judging/judge-standard';
import { proveByVerdicts } from '../kinds/prove-by-verdicts.ts';

export interface StandardTaskOptions {
  /** A file, a CID, `ipfs://…` or `https://…`. */
  standard: string;
  /** The directory that becomes the bundle. */
  out: string;
  /** A file with an answer that passes. */
  reference?: string;
  /** Id of the task; default from the title and the digest of the standard. */
  name?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

const PROOF_RUNS = 3;

/**
 * Writes a standard as a task. With a reference it is proven first: `TASK_UNPROVEN` when the reference does not pass
 * every time, or the empty submission does. What a model or a person would have to judge is written unproven, and so is
 * a task without a reference. Throws `STANDARD_INVALID`, `BAD_OPTION` on a name that is none, `OUTPUT_OCCUPIED`, and
 * what fetching throws.
 */
export async function makeStandardTask(options: StandardTaskOptions): Promise<StandardTaskResult> {
  const { signal } = options;
  const { standard, fetched } = await fetchStandard(options.standard, signal);
  const { answer, language } = answerFileOf(standard);
  const id = taskId(options.name, standard, fetched.sha256);
  const content: StandardContent = {
    name: `assay/${id}`,
    description:
      standard.title ??
      `${standard.type} of ${standard.type === 'test_cases' ? standard.functionName : fetched.sha256.slice(0, 8)}`,
    instruction: `${publicView(standard)}\nWrite the answer to ${WORKSPACE}/${answer}.\n`,
    meta: {
      version: 1,
      kind: 'standard',
      pipeline: 'standard',
      source: sourceOf(options.standard),
      network: 'none',
      answer,
      ...(language ? { language } : {}),
      standard: { type: standard.type, digest: fetched.sha256 },
    },
    document: fetched.bytes,
    reference: options.reference === undefined ? null : await readReferenceFile(options.reference, answer, signal),
    grading: await harborGrading(standard, language),
  };
  const report = content.reference ? await prove(content, standard, options) : null;
  if (report && !report.admitted && report.unprovable === undefined)
    throw new AssayError('TASK_UNPROVEN', { detail: report.reasons.join('; ') });
  const proof = report?.admitted ? { reference: report.reference, noop: report.noop } : null;
  const directory = resolve(options.out);
  await writeStandardTask(directory, { ...content, meta: { ...content.meta, proof: proof ?? undefined } });
  const { meta } = await readTask(directory);
  return {
    task: id,
    directory,
    digest: meta.digest,
    type: standard.type,
    answer,
    proof,
    unproven: proof ? null : (report?.unprovable ?? 'there is no reference solution'),
    harbor: 'impossible' in content.grading ? content.grading.impossible : null,
  };
}

/** Proves the bundle as it would be, in a place of its own. */
async function prove(
  content: StandardContent,
  standard: Standard,
  { signal, onEvent }: StandardTaskOptions,
): Promise<TaskReport> {
  const directory = await makeTemporaryDirectory('standard');
  try {
    const draft = join(directory, 'task');
    await writeStandardTask(draft, content);
    const task = await readTaskOf('standard', draft);
    return await proveByVerdicts(
      {
        id: task.id,
        reference: content.reference,
        verify: (submission, verifying) => verifyAnswer({ task, standard }, submission, verifying),
      },
      {
        runs: PROOF_RUNS,
        provider: await chooseProvider(),
        signal,
        progress: (text) => onEvent?.({ type: 'item-progress', item: task.id, text }),
      },
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function readReferenceFile(path: string, answer: string, signal: AbortSignal | undefined): Promise<ChangeSet> {
  const { bytes } = await fetchContent(
    { kind: 'file', path },
    { store: openContentStore(), maxBytes: SUBMISSION_BYTES, allowLocal: true, signal },
  );
  return { files: [{ path: answer, content: bytes, executable: false }], deleted: [] };
}

function taskId(name: string | undefined, standard: Standard, digest: string): string {
  if (name !== undefined) {
    if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name))
      throw new AssayError('BAD_OPTION', {
        option: '--name',
        detail: 'expected letters, digits, dots, dashes and underscores',
      });
    return name;
  }
  const words = (standard.title ?? (standard.type === 'test_cases' ? standard.functionName : standard.type))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${words === '' ? 'standard' : words}-${sha256(digest).slice(0, 8)}`;
}

/** Where it came from, without a directory of this machine, a user or a password. */
function sourceOf(reference: string): string {
  const parsed = parseReference(reference);
  switch (parsed.kind) {
    case 'file':
      return `file:${basename(parsed.path)}`;
    case 'url': {
      const { origin, pathname } = new URL(parsed.url);
      return `${origin}${pathname}`;
    }
    case 'inline':
      return 'inline';
    default:
      return reference;
  }
}
