import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiffMetadata } from '@assay/protocol';
import { makeOutputDirectory } from '@assay/files/output-place';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { writeDiffTask } from '../bundle/diff/write-diff-task.ts';
import { readTask, readTaskOf } from '../bundle/read-task.ts';
import { updateProof } from '../bundle/write-task.ts';
import { countParts } from '../verify/diff/count-parts.ts';
import { openReadDiffTask } from '../verify/diff/open-diff-task.ts';
import { proveDiff } from '../verify/diff/prove-diff.ts';
import { buildTree, type BuiltTree } from './2-build.ts';
import { stateProblem } from './5-state.ts';
import { allSentences, byModel, instructionText, nameHash } from './6-write.ts';
import { Rejection, type Candidate, type CandidateResult, type Compared } from './candidate.ts';
import { licenceOf } from './licence-of.ts';
import type { MineContext } from './mine-context.ts';
import type { StageClock } from './stage-clock.ts';
import type { Statement } from './statement.ts';

const PROOF_RUNS = 3;
/** A longer reference is not put to a model. */
const LONGEST_JUDGED = 80_000;

export interface ComparedRequest {
  candidate: Candidate & { compared: Compared };
  /** Why no test decides, for the metadata. */
  untested: string;
  /** Path for the bundle. Anything there is replaced. */
  bundle: string;
  clock: Pick<StageClock, 'run'>;
}

/**
 * Makes a task of a candidate that no test tells from its absence: submissions are compared with its reference. Nothing
 * of the repository runs. Throws `chore` for a change of comments and layout, `too_large` for a reference that no model
 * could judge by, `thin_statement`, `leak` and `unproven`.
 */
export async function writeCompared(request: ComparedRequest, context: MineContext): Promise<CandidateResult> {
  const { candidate, bundle, clock } = request;
  const { ecosystem, compared, referenceDiff } = candidate;
  if (!ecosystem.compare) throw new Rejection('no_ecosystem', `sources of ${ecosystem.id} cannot be compared`);
  if (compared.judged && referenceDiff.length > LONGEST_JUDGED)
    throw new Rejection('too_large', `a diff of ${referenceDiff.length} characters is too long to judge by`);
  const tree = await clock.run('build', () => buildTree(candidate, context));
  const told = await clock.run('state', () => stateProblem(candidate, tree, context));
  await makeOutputDirectory(dirname(bundle));
  const directory = await mkdtemp(join(dirname(bundle), `draft-${process.pid}-`));
  try {
    const draft = join(directory, 'task');
    const statement = { ...told, disclosed: [] };
    await clock.run('write', () => writeDraft(draft, { ...request, tree, statement }, context));
    await clock.run('proof', () => proveDraft(draft, context));
    await rm(bundle, { recursive: true, force: true });
    await rename(draft, bundle);
    const { id, meta } = await readTask(bundle);
    return { outcome: 'admitted', task: id, digest: meta.digest };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeDraft(
  draft: string,
  { candidate, untested, tree, statement }: ComparedRequest & { tree: BuiltTree; statement: Statement },
  { pipeline, repository, provider, modelName, signal }: MineContext,
): Promise<void> {
  const { ecosystem, reference, compared } = candidate;
  const before = (path: string): Buffer | null => readRegularFileBelow(tree.t0Directory, path);
  const parts = await countParts({ ecosystem, reference, before }, { provider, signal });
  if (parts === 0) throw new Rejection('chore', 'the change is one of comments, documentation or layout');
  const meta: Omit<DiffMetadata, 'digest'> = {
    version: 1,
    kind: 'diff',
    pipeline: pipeline.name,
    source: repository.origin,
    base_commit: candidate.base,
    t0: candidate.t0.toISOString(),
    fixed: candidate.fixed?.toISOString(),
    category: pipeline.category ?? 'change',
    severity: candidate.severity,
    licence: (await licenceOf(tree.t0Directory, ecosystem)) ?? undefined,
    by_model: byModel({ candidate, statement }, modelName),
    ecosystem: ecosystem.id,
    profile: compared.profile,
    judged: compared.judged,
    untested,
    parts,
    network: 'none',
    absent: tree.absent,
    statement: allSentences(statement),
  };
  await writeDiffTask(draft, {
    name: `assay/${repository.name}-${nameHash(candidate)}`,
    description: statement.title,
    instruction: instructionText(statement),
    meta,
    repoTar: tree.repoTar,
    reference,
    referenceDiff: candidate.referenceDiff,
  });
}

/** Proves the bundle as written, ignoring everything known before. */
async function proveDraft(draft: string, { provider, cacheDirectory, progress, signal }: MineContext): Promise<void> {
  const open = await openReadDiffTask(await readTaskOf('diff', draft), { provider, cacheDirectory });
  const report = await proveDiff(open, { runs: PROOF_RUNS, provider, cacheDirectory, progress, signal });
  if (report.leaks.length > 0) throw new Rejection('leak', report.reasons.at(-1) ?? 'a leak');
  if (!report.admitted) throw new Rejection('unproven', report.reasons.join('; '));
  const { reference, noop, half } = report;
  await updateProof(draft, { reference, noop, half });
}
