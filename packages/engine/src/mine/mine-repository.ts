import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { AssayError, type OnProgress, type RejectionReason } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { readTask } from '../bundle/read-task.ts';
import { updateProof } from '../bundle/write-task.ts';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { listOutput, makeOutputDirectory } from '@assay/files/output-place';
import { importRepository, type ImportedRepository } from '../git/import-repository.ts';
import { openChatModel, type ChatModel } from '@assay/lanes/models/chat-model';
import { sweepDead } from '@assay/files/sweep-dead';
import { lockDirectory } from '@assay/files/store/lock-directory';
import { cacheDirectory } from '@assay/files/store/paths';
import { forEachParallel } from '@assay/files/store/schedule';
import { openRepositoryTask } from '../verify/open-repository-task.ts';
import { proveTask } from '../verify/prove-task.ts';
import { build, rebuild, type Rebuilt } from './2-build.ts';
import { prove } from './3-prove.ts';
import { write } from './4-write.ts';
import { Rejection, rejectionOf, type Candidate, type CandidateResult } from './candidate.ts';
import { commitRuntime } from './pipelines/commit-runtime/1-collect.ts';
import { cvePatches } from './pipelines/cve-patches/1-collect.ts';
import { openAdvisories, type ReadAdvisories } from './pipelines/cve-patches/osv/read-advisories.ts';
import type { AdvisoryNotes, Collected, Found, Pipeline } from './pipelines/pipeline.ts';
import { stateProblem } from './state-problem.ts';
import { bringsTests, writeRegressionTest } from './write-regression-test.ts';

export interface MineOptions {
  /** Directory of a clone, or a URL. */
  source: string;
  pipeline: string;
  /** Where the tasks go: new, empty, or a dataset that `mine` made. */
  out: string;
  /** Most candidates to examine, newest first. Default 50. */
  limit?: number;
  /** Only commits after this date. */
  since?: string;
  /** Of `cve_patches`: a directory, file or address of records in the OSV format. */
  osv?: string;
  /** Reject what hidden tests demand beyond the instruction, also where a line of it could tell. Default false. */
  strictSpecificity?: boolean;
  /** Candidates at work at once. Default: the number of processors. */
  jobs?: number;
  model?: { name: string; endpoint: string };
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

export interface MineResult {
  candidates: number;
  admitted: number;
  rejected: Partial<Record<RejectionReason, number>>;
  /** One example of each reason. */
  examples: Partial<Record<RejectionReason, string>>;
  tasks: string[];
  /** Of pipelines that start from advisories: what became of the records, and which advisory each task was made of. */
  advisories?: AdvisoryNotes & { tasks: Record<string, string> };
  elapsedMs: number;
}

export const PIPELINES: readonly Pipeline[] = [commitRuntime, cvePatches];

/** Part of the cache key: raise it when a change here or in what it calls can change how a candidate ends. */
const STAGES_VERSION = '2';
const PROOF_RUNS = 3;
const LEDGER = 'dataset.json';

interface Mine {
  pipeline: Pipeline;
  repository: ImportedRepository;
  collected: Collected;
  provider: SandboxProvider;
  model: ChatModel | null;
  cache: string;
  out: string;
  options: MineOptions;
}

/**
 * Mines a repository's fixes into proven tasks. Every candidate ends in the cache, so a killed run goes on where it was
 * and a second run answers at once. Throws what the user can mend; what is wrong with a candidate is counted in
 * `rejected`.
 */
export async function mineRepository(options: MineOptions): Promise<MineResult> {
  const start = performance.now();
  const pipeline = PIPELINES.find(({ name }) => name === options.pipeline);
  if (!pipeline)
    throw new AssayError('UNKNOWN_PIPELINE', {
      name: options.pipeline,
      known: PIPELINES.map(({ name }) => name).join(', '),
    });
  const out = resolve(options.out);
  await requireUsable(out);
  const advisories = await advisoriesOf(options);
  const cache = cacheDirectory();
  const repository = await importRepository(options.source, cache);
  try {
    const collected = await pipeline.collect(repository, { since: options.since, advisories, signal: options.signal });
    await makeOutputDirectory(out);
    const unlock = await lockDirectory(out);
    try {
      await removeDrafts(out, cache);
      const provider = await chooseProvider(options.provider);
      const model = options.model
        ? openChatModel({ endpoint: options.model.endpoint, model: options.model.name })
        : null;
      const results = await mineAll({ pipeline, repository, collected, provider, model, cache, out, options });
      const funnel = summarise(results, collected.advisories);
      // A dataset is handed on: paths of this machine have no place in it.
      const ledger = funnel.advisories
        ? { ...funnel, advisories: { ...funnel.advisories, refused: funnel.advisories.refused.length } }
        : funnel;
      await writeJsonAtomic(join(out, LEDGER), {
        assay: 'dataset',
        pipeline: options.pipeline,
        source: repository.origin,
        ...ledger,
      });
      return { ...funnel, elapsedMs: Math.round(performance.now() - start) };
    } finally {
      await unlock();
    }
  } finally {
    await repository.dispose();
  }
}

/** Before anything is cloned or made: what is wrong with them is told at once. */
async function advisoriesOf({ pipeline, osv, signal }: MineOptions): Promise<ReadAdvisories | undefined> {
  if (pipeline === cvePatches.name && osv === undefined)
    throw new AssayError('BAD_OPTION', {
      option: '--pipeline cve_patches',
      detail: 'give --osv: a directory, file or address of OSV records',
    });
  if (pipeline !== cvePatches.name && osv !== undefined)
    throw new AssayError('BAD_OPTION', { option: '--osv', detail: 'only --pipeline cve_patches reads it' });
  return osv === undefined ? undefined : openAdvisories(osv, signal);
}

async function requireUsable(out: string): Promise<void> {
  const entries = await listOutput(out);
  const foreign = entries.filter((name) => !name.startsWith('.assay-') && name !== LEDGER);
  if (foreign.length > 0 && !entries.includes(LEDGER))
    throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: `such as ${foreign[0]}` });
}

/** What a killed run left half-written: in the dataset, which is ours alone while it is locked, and in the cache. */
async function removeDrafts(out: string, cache: string): Promise<void> {
  for (const name of await readdir(out))
    if (name.startsWith('.assay-draft-')) await rm(join(out, name), { recursive: true, force: true });
  await makeOutputDirectory(join(cache, 'bundles'));
  await sweepDead(join(cache, 'bundles'), /^draft-(\d+)-/);
}

interface Ended {
  label: string;
  result: CandidateResult;
}

async function mineAll(mine: Mine): Promise<Ended[]> {
  const { options, out } = mine;
  // Marks the directory as ours before the first task lies in it.
  await writeJsonAtomic(join(out, LEDGER), {
    assay: 'dataset',
    pipeline: options.pipeline,
    source: mine.repository.origin,
  });
  const ended: Ended[] = [];
  const limit = options.limit ?? 50;
  const found = takeFirst(mine.collected.found, limit);
  await forEachParallel(
    found,
    options.jobs ?? availableParallelism(),
    async (candidate) => {
      const item = candidate.label;
      options.onEvent?.({ type: 'item-start', item, done: ended.length });
      const result = await mineOne(mine, candidate, item);
      ended.push({ label: item, result });
      options.onEvent?.({
        type: 'item-end',
        item,
        ok: result.outcome === 'admitted',
        text: result.outcome === 'admitted' ? result.task : `${result.reason}: ${result.detail}`,
        done: ended.length,
      });
    },
    options.signal,
  );
  return ended;
}

async function* takeFirst<T>(items: AsyncIterable<T> | Iterable<T>, count: number): AsyncGenerator<T> {
  let taken = 0;
  if (count <= 0) return;
  for await (const item of items) {
    yield item;
    taken += 1;
    if (taken >= count) return;
  }
}

async function mineOne(mine: Mine, found: Found, item: string): Promise<CandidateResult> {
  const key = candidateKey(mine, found);
  const stored = join(mine.cache, 'candidates', `${key}.json`);
  const bundle = join(mine.cache, 'bundles', key);
  const known = await readStored(stored);
  if (known && (known.outcome === 'rejected' || (await placeBundle(bundle, mine.out, known)))) return known;
  const result = await attempt(mine, found, bundle, item);
  await makeOutputDirectory(join(mine.cache, 'candidates'));
  await writeJsonAtomic(stored, result);
  if (result.outcome === 'admitted') await placeBundle(bundle, mine.out, result);
  return result;
}

/** The way of one candidate through the four stages and the proof of what they emit. */
async function attempt(mine: Mine, found: Found, bundle: string, item: string): Promise<CandidateResult> {
  const { pipeline, repository, provider, model, cache, options } = mine;
  const progress = (text: string): void => options.onEvent?.({ type: 'item-progress', item, text });
  const signal = options.signal ? { signal: options.signal } : {};
  try {
    const building = { repository, provider, cacheDirectory: cache, ...signal };
    const read = await found.read();
    const rebuilt = await rebuild(read, building);
    const candidate = await withTests(mine, read, rebuilt, progress);
    const statement = await stateProblem(candidate, rebuilt, {
      pipeline,
      model,
      strict: options.strictSpecificity === true,
    });
    if (rebuilt.absent.length > 0)
      progress(`T0 lacks ${rebuilt.absent.length} files that the source does not hold, such as ${rebuilt.absent[0]}`);
    progress('environment');
    const built = await build(candidate, rebuilt, building);
    const proven = await prove(candidate, built, { provider, progress, ...signal });
    return await emit(mine, bundle, async (draft) => {
      const name = await write({
        pipeline: pipeline.name,
        candidate,
        repository,
        built,
        proven,
        statement,
        directory: draft,
      });
      const report = await proveTask(await openRepositoryTask(draft, { provider, cacheDirectory: cache, ...signal }), {
        runs: PROOF_RUNS,
        provider,
        cacheDirectory: cache,
        progress,
        ...signal,
      });
      if (report.leaks.length > 0) throw new Rejection('leak', report.reasons.at(-1) ?? 'a leak');
      if (!report.admitted) throw new Rejection('unproven', report.reasons.join('; '));
      await updateProof(draft, {
        reference: report.reference,
        noop: report.noop,
        ...(report.testsOnly ? { testsOnly: report.testsOnly } : {}),
        ...(report.half ? { half: report.half } : {}),
      });
      return name;
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    const rejection = rejectionOf(error);
    if (!rejection) throw error;
    return { outcome: 'rejected', reason: rejection.reason, detail: rejection.detail };
  }
}

/** A fix without tests gets one from the model, if there is one. */
async function withTests(
  { repository, provider, model, cache, options }: Mine,
  candidate: Candidate,
  rebuilt: Rebuilt,
  progress: (text: string) => void,
): Promise<Candidate> {
  if (bringsTests(candidate)) return candidate;
  if (!model) throw new Rejection('no_tests', 'the fix brings no test, and no model was given to write one');
  const signal = options.signal ? { signal: options.signal } : {};
  const built = await build(candidate, rebuilt, { repository, provider, cacheDirectory: cache, ...signal });
  return writeRegressionTest({ candidate, built, repository, model, options: { provider, progress, ...signal } });
}

/** Writes a bundle beside its place, and puts it there when it is proven. */
async function emit(mine: Mine, bundle: string, make: (draft: string) => Promise<string>): Promise<CandidateResult> {
  await makeOutputDirectory(join(mine.cache, 'bundles'));
  const directory = await mkdtemp(join(mine.cache, 'bundles', `draft-${process.pid}-`));
  try {
    const draft = join(directory, 'task');
    const task = await make(draft);
    await rm(bundle, { recursive: true, force: true });
    await rename(draft, bundle);
    return { outcome: 'admitted', task, digest: (await readTask(bundle)).meta.digest };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Puts a proven bundle into the dataset, unless it is there already. False when the cache has lost it or it was
 * altered.
 */
async function placeBundle(
  bundle: string,
  out: string,
  { task, digest }: { task: string; digest: string },
): Promise<boolean> {
  const target = join(out, task);
  if ((await digestOf(target)) === digest) return true;
  if ((await digestOf(bundle)) !== digest) return false;
  const draft = await mkdtemp(join(out, '.assay-draft-'));
  try {
    await cp(bundle, join(draft, task), { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(join(draft, task), target);
    return true;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const digestOf = (directory: string): Promise<string | null> =>
  readTask(directory).then(
    (task) => task.meta.digest,
    () => null,
  );

function candidateKey({ pipeline, repository, provider, model, options }: Mine, { key }: Found): string {
  const parts = [
    STAGES_VERSION,
    pipeline.name,
    pipeline.version,
    String(options.strictSpecificity === true),
    repository.name,
    key,
    provider.isolation ?? '',
    model ? `${options.model?.endpoint} ${options.model?.name}` : '',
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 40);
}

async function readStored(path: string): Promise<CandidateResult | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  return isResult(value) ? value : null;
}

const isResult = (value: unknown): value is CandidateResult =>
  typeof value === 'object' && value !== null && 'outcome' in value;

function summarise(ended: Ended[], notes: AdvisoryNotes | undefined): Omit<MineResult, 'elapsedMs'> {
  const rejected: MineResult['rejected'] = {};
  const examples: MineResult['examples'] = {};
  const tasks: string[] = [];
  const labels: Record<string, string> = {};
  for (const { label, result } of ended.sort((a, b) => (a.label < b.label ? -1 : 1))) {
    if (result.outcome === 'admitted') {
      tasks.push(result.task);
      labels[result.task] = label;
      continue;
    }
    rejected[result.reason] = (rejected[result.reason] ?? 0) + 1;
    examples[result.reason] ??= `${label}: ${result.detail}`;
  }
  return {
    candidates: ended.length,
    admitted: tasks.length,
    rejected,
    examples,
    tasks: tasks.sort(),
    ...(notes ? { advisories: { ...notes, tasks: labels } } : {}),
  };
}
