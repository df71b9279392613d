import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TASK_PARTS, type RepositoryMetadata, type Sentence, type TaskReport } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import type { SplitOracle } from '../bundle/split-oracle.ts';
import type { TaskContent } from '../bundle/task.ts';
import { readTask } from '../bundle/read-task.ts';
import { updateProof, writeTask } from '../bundle/write-task.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { makeOutputDirectory } from '@assay/files/output-place';
import { listMutants } from '../verify/mutants/list-mutants.ts';
import { openRepositoryTask } from '../verify/open-repository-task.ts';
import { proveTask } from '../verify/prove-task.ts';
import type { Built } from './2-build.ts';
import type { Proven } from './3-prove.ts';
import { splitTests } from './4-split.ts';
import { Rejection, type Candidate, type CandidateResult } from './candidate.ts';
import { interfaceLine } from './interface-line.ts';
import { licenceOf } from './licence-of.ts';
import type { MineContext } from './mine-context.ts';
import { MINE_MUTANTS, requireStrongTests } from './require-strong-tests.ts';
import type { Statement } from './statement.ts';
import { strengthen } from './strengthen/strengthen.ts';

const PROOF_RUNS = 3;

export interface WriteRequest {
  candidate: Candidate;
  built: Built;
  statement: Statement;
  proven: Proven;
  /** What of the tests is compared outside; null when nothing can be. */
  split: SplitOracle | null;
  /** Sites whose exceptions are compared by their class alone. */
  relaxed?: readonly number[];
  /** Path for the bundle. Anything there is replaced. */
  bundle: string;
  /** Which of the hidden tests a model wrote for mutants. */
  written?: RepositoryMetadata['written'];
}

/**
 * Stage 6: writes the bundle, which takes its place once it has proven itself as written; with more tests where a model
 * was to write some, and they hold. Throws `leak`, `unproven` and `weak_tests`.
 */
export async function write(request: WriteRequest, context: MineContext): Promise<CandidateResult> {
  const { bundle } = request;
  await makeOutputDirectory(dirname(bundle));
  const directory = await mkdtemp(join(dirname(bundle), `draft-${process.pid}-`));
  try {
    const first = await provenDraft(join(directory, 'task'), request, context);
    const { draft, task, report } =
      (await strongerDraft(join(directory, 'stronger'), first, request, context)) ?? first;
    requireStrongTests(report.mutants, context.minKilled);
    await rm(bundle, { recursive: true, force: true });
    await rename(draft, bundle);
    return { outcome: 'admitted', task, digest: (await readTask(bundle)).meta.digest };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Draft {
  draft: string;
  /** Name of the task. */
  task: string;
  report: TaskReport;
}

async function provenDraft(draft: string, request: WriteRequest, context: MineContext): Promise<Draft> {
  const { timed = (_stage, work) => work() } = context;
  const task = await writeDraft(draft, request, context);
  return { draft, task, report: await timed('proof', () => proveDraft(draft, context)) };
}

/** The bundle with tests that a model wrote for the surviving mutants; null without any, or when it does not hold. */
async function strongerDraft(
  draft: string,
  { report: { mutants } }: Draft,
  request: WriteRequest,
  context: MineContext,
): Promise<Draft | null> {
  const { strengthen: model, signal } = context;
  if (model === undefined || !mutants || mutants.survivors.length === 0) return null;
  const { candidate, built, statement } = request;
  const runtime = { environment: await built.environment(), provider: context.provider, signal };
  const all = await listMutants({ ...candidate, ...built, limit: MINE_MUTANTS.limit }, runtime);
  const survivors = all.filter((mutant) =>
    mutants.survivors.some(
      ({ path, line, change }) => mutant.path === path && mutant.line === line && mutant.change === change,
    ),
  );
  const more = await strengthen({ ...request, instruction: instructionText(statement), survivors, context });
  if (!more) return null;
  const written = { model, files: more.files };
  try {
    const { relaxed } = request;
    const split = await splitTests(more.candidate, { built, proven: more.proven, relaxed }, context);
    return await provenDraft(draft, { ...request, ...more, split, written }, context);
  } catch (error) {
    if (error instanceof Rejection) return null;
    throw error;
  }
}

/** Proves the bundle as written, ignoring everything known before. */
async function proveDraft(draft: string, context: MineContext): Promise<TaskReport> {
  const { provider, cacheDirectory, minKilled, mutantsAtOnce, progress, signal } = context;
  const looks = minKilled > 0 || context.strengthen !== undefined;
  // A model is to see every survivor.
  const decides = context.strengthen === undefined ? minKilled : undefined;
  const report = await proveTask(await openRepositoryTask(draft, { provider, cacheDirectory, signal }), {
    runs: PROOF_RUNS,
    failsEarly: true,
    mutants: looks ? { ...MINE_MUTANTS, parallel: mutantsAtOnce, decides } : undefined,
    provider,
    cacheDirectory,
    progress,
    signal,
  });
  if (report.leaks.length > 0) throw new Rejection('leak', report.reasons.at(-1) ?? 'a leak');
  if (!report.admitted) throw new Rejection('unproven', report.reasons.join('; '));
  const { reference, noop, testsOnly, half, mutants } = report;
  await updateProof(draft, { reference, noop, testsOnly, half, mutants });
  return report;
}

/** Writes the bundle, not yet proven, and returns its name. */
async function writeDraft(
  directory: string,
  { candidate, built, statement, proven, written, split }: WriteRequest,
  { pipeline, repository, modelName, network }: MineContext,
): Promise<string> {
  const environment = await built.environment();
  const meta: Omit<RepositoryMetadata, 'digest'> = {
    version: 1,
    kind: 'repository',
    pipeline: pipeline.name,
    source: repository.origin,
    base_commit: candidate.base,
    t0: candidate.t0.toISOString(),
    fixed: candidate.fixed?.toISOString(),
    category: pipeline.category ?? 'change',
    severity: candidate.severity,
    licence: (await licenceOf(built.t0Directory, candidate.ecosystem)) ?? undefined,
    fail_to_pass: proven.failToPass,
    pass_to_pass: proven.passToPass,
    quarantined: proven.quarantined,
    absent: built.absent,
    removed: candidate.removed && pathsOf(candidate.removed),
    specificity: statement.disclosed.length,
    statement: allSentences(statement),
    behaviour: statement.behaviour,
    written,
    by_model: byModel({ candidate, statement, written }, modelName),
    test: proven.command,
    suite: proven.suite,
    environment: environment.spec,
    network: candidate.ecosystem.packages.index === null ? 'none' : (network ?? 'none'),
    steering: [...candidate.ecosystem.steering],
  };
  const name = `${repository.name}-${nameHash(candidate)}`;
  const content: TaskContent = {
    name: `assay/${name}`,
    description: statement.title,
    instruction: instructionText(statement),
    meta,
    repoTar: built.repoTar,
    environmentFiles: environment.bundleFiles,
    linksFiles: true,
    reference: candidate.reference,
    referenceDiff: candidate.referenceDiff,
    hidden: candidate.hidden,
    split,
  };
  await writeTask(directory, content);
  return name;
}

/** What a model wrote of a task, whoever asked it to. */
export function byModel(
  { candidate, statement, written }: Pick<WriteRequest, 'candidate' | 'statement' | 'written'>,
  modelName: string | undefined,
): RepositoryMetadata['by_model'] {
  const model = modelName ?? written?.model;
  const parts = TASK_PARTS.filter(
    (part) =>
      candidate.byModel?.includes(part) === true ||
      (part === 'statement' && statement.sentences.some(({ source }) => source === 'model')) ||
      (part === 'tests' && written !== undefined),
  );
  return model === undefined || parts.length === 0 ? undefined : { model, parts };
}

const pathsOf = ({ files, deleted }: ChangeSet): string[] => [...files.map(({ path }) => path), ...deleted].sort();

/** Writes what an agent is given. */
export function instructionText({ title, body, disclosed }: Statement): string {
  const paragraphs = [
    body,
    interfaceLine(disclosed) ?? '',
    'The repository is at /workspace. Change its source so that the behaviour described above is right.',
  ];
  return `# ${title}\n\n${paragraphs.filter((text) => text !== '').join('\n\n')}\n`;
}

/** Lists the sentences of an instruction with their sources. */
export function allSentences({ sentences, disclosed }: Statement): Sentence[] {
  const line = interfaceLine(disclosed) ?? '';
  return line === '' ? sentences : [...sentences, { text: line, source: 'interface' }];
}

/** Hashes a candidate into a name that does not reveal a commit. */
export function nameHash(candidate: Pick<Candidate, 'reference' | 'hidden'>): string {
  return sha256(`${digestChange(candidate.reference)}${digestChange(candidate.hidden)}`).slice(0, 8);
}
