import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { settle } from '@assay/files/store/failure-policy';
import { cacheDirectory } from '@assay/files/store/paths';
import { forEachParallel } from '@assay/files/store/schedule';
import { openChatModel } from '@assay/lanes/models/chat-model';
import type { CandidateEnd, MineResult, OnProgress } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { installedInterpreters } from '../ecosystems/index.ts';
import { importRepository } from '../git/import-repository.ts';
import { candidateKey, openCandidateCache, type CandidateCache } from '../mine/candidate-cache.ts';
import type { CandidateResult } from '../mine/candidate.ts';
import { openDataset, requireDataset, type Dataset } from '../mine/dataset.ts';
import { summarise } from '../mine/ledger.ts';
import { mineCandidate } from '../mine/mine-candidate.ts';
import type { MineContext } from '../mine/mine-context.ts';
import { pipelineNamed } from '../mine/pipelines/index.ts';
import type { Found, Pipeline } from '../mine/pipelines/pipeline.ts';

export interface MineOptions {
  /** Directory of a clone, or a URL. */
  source: string;
  /** Name of one that comes with Assay or was registered. */
  pipeline: string;
  /** The pipeline's own options, by the names of its schema. */
  pipelineOptions?: Readonly<Record<string, unknown>>;
  /** Where the tasks go: new, empty, or a dataset that `mine` made. */
  out: string;
  /** Most candidates to examine. Default 50. */
  limit?: number;
  /** ISO 8601. Only fixes after this date. */
  since?: string;
  /** Reject what hidden tests demand beyond the instruction, also where a line of it could tell. Default false. */
  strictSpecificity?: boolean;
  /** Candidates at work at once. Default: the number of processors. */
  jobs?: number;
  model?: { name: string; endpoint: string };
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

interface Mine {
  context: MineContext;
  cache: CandidateCache;
  dataset: Dataset;
  /** All that the end of any candidate of this run depends on. */
  keyParts: readonly string[];
  options: MineOptions;
}

/**
 * Mines a repository's problems into proven tasks. What is wrong with a candidate is in the ledger; so is what the
 * machine was at fault for, which the next run tries again. Every other end is remembered, so that a killed run goes on
 * where it was and a second run answers at once. Throws what the user can mend, and what would end every candidate.
 */
export async function mineRepository(options: MineOptions): Promise<MineResult> {
  const start = performance.now();
  const { signal } = options;
  const pipeline = pipelineNamed(options.pipeline);
  const out = resolve(options.out);
  // Fails on a bad dataset or bad options before anything is cloned or made.
  await requireDataset(out);
  const collect = await pipeline.open(options.pipelineOptions ?? {}, signal);
  const repository = await importRepository(options.source, cacheDirectory(), { signal });
  try {
    const { found, notes } = await collect({ repository, since: options.since, signal });
    const dataset = await openDataset(out);
    try {
      const mine = await prepare({ pipeline, repository, dataset, options });
      const source = { source: repository.origin, pipeline: pipeline.name };
      const ends: CandidateEnd[] = [];
      try {
        await examine(mine, found, ends);
      } finally {
        await dataset.record({ ...source, notes: notes?.(), ends });
      }
      return { ...summarise(ends, notes?.()), elapsedMs: Math.round(performance.now() - start) };
    } finally {
      await dataset.close();
    }
  } finally {
    await repository.dispose();
  }
}

async function prepare({
  pipeline,
  repository,
  dataset,
  options,
}: Pick<MineContext, 'repository'> & { pipeline: Pipeline; dataset: Dataset; options: MineOptions }): Promise<Mine> {
  const { model, signal } = options;
  const strict = options.strictSpecificity === true;
  const cache = await openCandidateCache(cacheDirectory());
  const provider = await chooseProvider(options.provider);
  const context: MineContext = {
    pipeline,
    repository,
    provider,
    model: model ? openChatModel({ endpoint: model.endpoint, model: model.name }) : null,
    cacheDirectory: cacheDirectory(),
    strict,
    signal,
  };
  const keyParts = [
    pipeline.name,
    pipeline.version,
    String(strict),
    repository.name,
    provider.isolation ?? '',
    model ? `${model.endpoint} ${model.name}` : '',
    (await installedInterpreters()).join(', '),
  ];
  return { context, cache, dataset, keyParts, options };
}

/** Every candidate by the policy for failures: no one ends the others. */
async function examine(mine: Mine, found: AsyncIterable<Found> | Iterable<Found>, ends: CandidateEnd[]): Promise<void> {
  const { jobs = availableParallelism(), limit = 50, signal, onEvent } = mine.options;
  const one = async (candidate: Found): Promise<void> => {
    onEvent?.({ type: 'item-start', item: candidate.label, done: ends.length });
    const end = await endOf(mine, candidate);
    ends.push(end);
    onEvent?.({
      type: 'item-end',
      item: candidate.label,
      ok: end.outcome === 'admitted',
      text: textOf(end),
      done: ends.length,
    });
  };
  await forEachParallel(takeFirst(found, limit), jobs, one, signal);
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

async function endOf(mine: Mine, found: Found): Promise<CandidateEnd> {
  const { label: candidate } = found;
  const { signal, onEvent } = mine.options;
  const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: candidate, text });
  const settled = await settle(
    {
      place: 'item',
      item: candidate,
      signal,
      onRetry: ({ code, tries }) => progress(`again, after ${code} (try ${tries})`),
    },
    () => resultOf(mine, found, progress),
  );
  if ('failure' in settled) {
    const { kind, code, message } = settled.failure;
    return { candidate, outcome: 'deferred', kind, code, detail: message };
  }
  const { value } = settled;
  return value.outcome === 'admitted' ? { candidate, outcome: 'admitted', task: value.task } : { candidate, ...value };
}

/** From the cache, or by the stages; an admitted task lies in the dataset then. */
async function resultOf(
  { context, cache, dataset, keyParts }: Mine,
  found: Found,
  progress: (text: string) => void,
): Promise<CandidateResult> {
  const key = candidateKey([...keyParts, found.key]);
  const bundle = cache.bundle(key);
  const known = await cache.recall(key);
  if (known?.outcome === 'rejected') return known;
  if (known && (await dataset.place(bundle, known))) return known;
  const result = await mineCandidate(found, bundle, { ...context, progress });
  await cache.remember(key, result);
  if (result.outcome === 'admitted') await dataset.place(bundle, result);
  return result;
}

function textOf(end: CandidateEnd): string {
  if (end.outcome === 'admitted') return end.task;
  return end.outcome === 'rejected' ? `${end.reason}: ${end.detail}` : `deferred, ${end.code}: ${end.detail ?? ''}`;
}
