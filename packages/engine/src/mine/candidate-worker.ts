import { remember } from '@assay/files/remember';
import { AssayError, canonicalJson, type CandidateOrder, type Examination } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { openChatModel, type ChatModel } from '@assay/lanes/models/chat-model';
import { TokenBudget, withinBudget } from '@assay/lanes/models/token-budget';
import { installedInterpreters, splitVersions } from '../ecosystems/index.ts';
import { importRepository, type ImportedRepository } from '../git/import-repository.ts';
import { readCommit } from '../git/repository.ts';
import { candidateKey, openCandidateCache, type CandidateCache } from './candidate-cache.ts';
import type { CandidateResult } from './candidate.ts';
import type { Dataset } from './dataset.ts';
import { mineCandidate } from './mine-candidate.ts';
import type { MineContext } from './mine-context.ts';
import { pipelineNamed } from './pipelines/index.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

export interface CandidateWorkerOptions {
  cacheDirectory: string;
  /** Where admitted bundles go. */
  dataset: Pick<Dataset, 'place'>;
  /** Repositories that are imported already, by what orders call them. Their owner disposes of them. */
  known?: ReadonlyMap<string, ImportedRepository>;
  /** Mutants of one candidate at the same time. Default 1. */
  mutantsAtOnce?: number;
  /** Tokens for all that this worker asks of models. Default: no limit. */
  modelBudget?: number;
}

interface RunOptions {
  signal?: AbortSignal;
  tell?: (text: string) => void;
  /** Called when the end comes from the cache. */
  recalled?: () => void;
  /** Learns how far a candidate came that rejects. */
  failed?: (examination: Examination) => void;
}

export interface CandidateWorker {
  /**
   * Examines one candidate from its order alone, or recalls how it ended; an admitted one lies in the dataset then.
   * Rejects with what the candidate is not to blame for: what happens then is a matter of the policy for failures.
   * Throws `ORDER_INVALID` for an order that the pipeline of this process cannot read, and `MISSING_OBJECT` when the
   * repository lacks the order's head.
   */
  run(order: CandidateOrder, options?: RunOptions): Promise<CandidateResult>;
  /** Opens what the orders of a run share, to fail before the first of them. */
  prepare(shared: Pick<CandidateOrder, 'model' | 'provider'>): Promise<void>;
  /** Deletes the repositories that it has imported. */
  close(): Promise<void>;
}

/**
 * Makes a worker. It keeps imported repositories, providers and models for the orders that follow; keys of models and
 * credentials for repositories come from its environment. A pipeline need not be opened.
 */
export function candidateWorker({
  cacheDirectory,
  dataset,
  known,
  mutantsAtOnce = 1,
  modelBudget,
}: CandidateWorkerOptions): CandidateWorker {
  const kept = new Kept(cacheDirectory, known, modelBudget);
  return {
    run: async (order, { signal, tell, recalled: onRecalled, failed } = {}) => {
      const context = {
        pipeline: pipelineOf(order),
        repository: await kept.repository(order.source),
        provider: await kept.provider(order.provider),
        model: kept.model(order.model),
        modelName: order.model?.name,
        cacheDirectory,
        specificity: order.specificity,
        require: order.require,
        network: order.network,
        minKilled: order.minKilled,
        strengthen: order.strengthen ? order.model?.name : undefined,
        mutantsAtOnce,
        signal,
        progress: tell,
        failed,
      };
      const cache = await kept.cache();
      const key = keyOf(order, context, await kept.interpreters());
      const bundle = cache.bundle(key);
      const recalled = await cache.recall(key);
      if (recalled && (recalled.outcome === 'rejected' || (await dataset.place(bundle, recalled)))) {
        onRecalled?.();
        return recalled;
      }
      const result = await mineCandidate(order.data, bundle, context);
      await cache.remember(key, result);
      if (result.outcome === 'admitted') await dataset.place(bundle, result);
      return result;
    },
    prepare: async ({ provider, model }) => {
      await kept.cache();
      await kept.provider(provider);
      kept.model(model);
    },
    close: () => kept.close(),
  };
}

/** Everything that the end of a candidate depends on. */
function keyOf(
  { specificity, require, network, minKilled, strengthen, model, data }: CandidateOrder,
  { pipeline, repository, provider }: { pipeline: Pipeline } & Pick<MineContext, 'repository' | 'provider'>,
  interpreters: string,
): string {
  return candidateKey([
    pipeline.name,
    pipeline.version,
    specificity,
    require ?? '',
    network ?? '',
    String(minKilled),
    strengthen ? 'strengthen' : '',
    repository.name,
    provider.isolation ?? '',
    model ? `${model.endpoint} ${model.name}` : '',
    interpreters,
    canonicalJson(data),
  ]);
}

/** What a worker keeps between orders. */
class Kept {
  readonly #cacheDirectory: string;
  readonly #known: ReadonlyMap<string, ImportedRepository>;
  readonly #repositories = new Map<string, Promise<ImportedRepository>>();
  readonly #providers = new Map<string, Promise<SandboxProvider>>();
  readonly #models = new Map<string, ChatModel>();
  readonly #caches = new Map<string, Promise<CandidateCache>>();
  readonly #interpreters = new Map<string, Promise<string>>();

  readonly #budget: TokenBudget | null;

  constructor(
    cacheDirectory: string,
    known: ReadonlyMap<string, ImportedRepository> = new Map(),
    modelBudget: number | undefined = undefined,
  ) {
    this.#cacheDirectory = cacheDirectory;
    this.#known = known;
    this.#budget = modelBudget === undefined ? null : new TokenBudget(modelBudget);
  }

  async repository({ repository, head }: CandidateOrder['source']): Promise<ImportedRepository> {
    const imported =
      this.#known.get(repository) ??
      (await remember(this.#repositories, `${repository} ${head}`, () =>
        importRepository(repository, this.#cacheDirectory),
      ));
    // The source may have changed since the order was made.
    await readCommit(imported, head);
    return imported;
  }

  provider(name: string | undefined): Promise<SandboxProvider> {
    return remember(this.#providers, name ?? '', () => chooseProvider(name));
  }

  model(ordered: CandidateOrder['model']): ChatModel | null {
    if (ordered === undefined) return null;
    const { endpoint, name } = ordered;
    const key = JSON.stringify([endpoint, name]);
    const known = this.#models.get(key);
    if (known) return known;
    const opened = openChatModel({ endpoint, model: name });
    const chat = this.#budget ? withinBudget(opened, this.#budget) : opened;
    this.#models.set(key, chat);
    return chat;
  }

  cache(): Promise<CandidateCache> {
    return remember(this.#caches, '', () => openCandidateCache(this.#cacheDirectory));
  }

  interpreters(): Promise<string> {
    return remember(this.#interpreters, '', async () =>
      [...(await installedInterpreters()), ...splitVersions()].join(', '),
    );
  }

  async close(): Promise<void> {
    for (const imported of await Promise.allSettled(this.#repositories.values()))
      if (imported.status === 'fulfilled') await imported.value.dispose();
    this.#repositories.clear();
  }
}

function pipelineOf({ label, pipeline: { name, version } }: CandidateOrder): Pipeline {
  const pipeline = pipelineNamed(name);
  if (pipeline.version === version) return pipeline;
  const detail = `it was made by version ${version} of the pipeline ${name}, and ${pipeline.version} is here`;
  throw new AssayError('ORDER_INVALID', { item: label, detail });
}
