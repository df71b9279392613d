import { existsSync } from 'node:fs';
import { sha256 } from '@assay/files/content-digest';
import { CandidateOrder, canonicalJson, type FixCommits } from '@assay/protocol';
import { locateSource, shareableSource } from '../git/source-location.ts';
import type { Found } from './pipelines/pipeline.ts';

/** What all orders of a run have in common. */
export type SharedOrder = Omit<CandidateOrder, 'id' | 'label' | 'data' | keyof FixCommits>;

export interface OrderedRun {
  pipeline: SharedOrder['pipeline'];
  /** A directory or a URL, as the user gives it. */
  source: string;
  repository: { head: string };
  specificity: SharedOrder['specificity'];
  require?: SharedOrder['require'];
  network?: SharedOrder['network'];
  minKilled: number;
  strengthen?: boolean;
  model?: SharedOrder['model'];
  provider?: SharedOrder['provider'];
}

export function sharedOrder({
  pipeline,
  source,
  repository,
  specificity,
  require,
  network,
  minKilled,
  strengthen,
  model,
  provider,
}: OrderedRun): SharedOrder {
  return {
    version: 1,
    kind: 'candidate',
    source: { repository: shareableSource(locateSource(source, existsSync)), head: repository.head },
    pipeline: { name: pipeline.name, version: pipeline.version },
    specificity,
    require,
    network: network === 'none' ? undefined : network,
    minKilled,
    strengthen,
    model,
    provider,
  };
}

/** Makes an order of each candidate when it is asked for, as it would arrive elsewhere: through JSON. */
export async function* candidateOrders(
  shared: SharedOrder,
  found: AsyncIterable<Found> | Iterable<Found>,
): AsyncGenerator<CandidateOrder> {
  for await (const { label, commit, brought, tests, data } of found) {
    const order = { ...shared, label, commit, brought, tests, data };
    yield CandidateOrder.parse({ ...JSON.parse(JSON.stringify(order)), id: sha256(canonicalJson(order)) });
  }
}
