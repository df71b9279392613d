import { remember } from '@assay/files/remember';
import { AssayError, canonicalJson, type CandidateOrder } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { openChatModel, type ChatModel } from '@assay/lanes/models/chat-model';
import { installedInterpreters } from '../ecosystems/index.ts';
import { importRepository, type ImportedRepository } from '../git/import-repository.ts';
import { readCommit } from '../git/repository.ts';
import { candidateKey, openCandidateCache, type CandidateCache } from './candidate-cache.ts';
import type { CandidateResult } from './candidate.ts';
import type { Dataset } from './dataset.ts';
import { mineCandidate } from './mine-candidate.ts';
import { pipelineNamed } from './pipelines/index.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

export interface CandidateWorkerOptions {
  cacheDirectory: string;
  /** Where admitted bundles go. */
  dataset: Pick<Dataset, 'place'>;
  /** Repositories that are imported already, by what orders call them. Their owner disposes of them. */
  known?: ReadonlyMap<string, ImportedRepository>;
}

export interface CandidateWorker {
  /**
   * Examines one candidate from its order alone, or recalls how it ended; an admitted one lies in the dataset then.
   * Rejects with what the candidate is not to blame for: what happens then is a matter of the policy for failures.
   * Throws `ORDER_INVALID` for an order that the pipeline of this process cannot read, and `MISSING_OBJECT` when the
   * repository lacks the order's head.
   */
  run(
    order: CandidateOrder,
    options?: { signal?: AbortSignal; tell?: (text: string) => void },
  ): Promise<CandidateResult>;
  /** Opens what the orders of a run share, to fail before the first of them. */
  prepare(shared: Pick<CandidateOrder, 'model' | 'provider'>): Promise<void>;
  /** Deletes the repositories that it has imported. */
  close(): Promise<void>;
}

/**
 * Makes a worker. It keeps imported repositories, providers and models for the orders that follow; keys of models and
 * credentials for repositories come from its environment. A pipeline need not be opened.
 */
export function candidateWorker({ cacheDirectory, dataset, known }: CandidateWorkerOptions): CandidateWorker {
  const repositories = new Map<string, Promise<ImportedRepository>>();
  const providers = new Map<string, Promise<SandboxProvider>>();
  const models = new Map<string, ChatModel>();
  const caches = new Map<string, Promise<CandidateCache>>();
  const interpreters = new Map<string, Promise<string>>();
  const cacheOf = (): Promise<CandidateCache> => remember(caches, '', () => openCandidateCache(cacheDirectory));
  const providerOf = ({ provider = '' }: Pick<CandidateOrder, 'provider'>): Promise<SandboxProvider> =>
    remember(providers, provider, () => chooseProvider(provider === '' ? undefined : provider));
  const repositoryOf = async ({ source }: CandidateOrder): Promise<ImportedRepository> => {
    const { repository, head } = source;
    const imported =
      known?.get(repository) ??
      (await remember(repositories, `${repository} ${head}`, () => importRepository(repository, cacheDirectory)));
    // The source may have moved on since the order was made.
    await readCommit(imported, head);
    return imported;
  };
  const modelOf = ({ model }: Pick<CandidateOrder, 'model'>): ChatModel | null => {
    if (model === undefined) return null;
    const key = JSON.stringify(model);
    const chat = models.get(key) ?? openChatModel({ endpoint: model.endpoint, model: model.name });
    models.set(key, chat);
    return chat;
  };
  return {
    run: async (order, { signal, tell } = {}) => {
      const pipeline = pipelineOf(order);
      const repository = await repositoryOf(order);
      const provider = await providerOf(order);
      const cache = await cacheOf();
      const key = candidateKey([
        pipeline.name,
        pipeline.version,
        String(order.strict),
        repository.name,
        provider.isolation ?? '',
        order.model ? `${order.model.endpoint} ${order.model.name}` : '',
        await remember(interpreters, '', async () => (await installedInterpreters()).join(', ')),
        canonicalJson(order.data),
      ]);
      const bundle = cache.bundle(key);
      const recalled = await cache.recall(key);
      if (recalled?.outcome === 'rejected') return recalled;
      if (recalled && (await dataset.place(bundle, recalled))) return recalled;
      const result = await mineCandidate(order.data, bundle, {
        pipeline,
        repository,
        provider,
        model: modelOf(order),
        cacheDirectory,
        strict: order.strict,
        signal,
        progress: tell,
      });
      await cache.remember(key, result);
      if (result.outcome === 'admitted') await dataset.place(bundle, result);
      return result;
    },
    prepare: async (shared) => {
      await cacheOf();
      await providerOf(shared);
      modelOf(shared);
    },
    close: async () => {
      for (const imported of await Promise.allSettled(repositories.values()))
        if (imported.status === 'fulfilled') await imported.value.dispose();
      repositories.clear();
    },
  };
}

function pipelineOf({ label, pipeline: { name, version } }: CandidateOrder): Pipeline {
  const pipeline = pipelineNamed(name);
  if (pipeline.version === version) return pipeline;
  const detail = `it was made by version ${version} of the pipeline ${name}, and ${pipeline.version} is here`;
  throw new AssayError('ORDER_INVALID', { item: label, detail });
}
