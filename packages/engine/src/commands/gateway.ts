import { AssayError, type GatewayResult } from '@assay/protocol';
import { isModelDialect, guessDialects } from '@assay/lanes/model-lane/dialects/lane-dialects';
import {
  assertReachable,
  findModelKey,
  isLoopback,
  keyVariables,
  parseEndpoint,
} from '@assay/lanes/model-lane/endpoint';
import {
  MODEL_DIALECTS,
  openModelLane,
  type ModelBudgets,
  type ModelDialect,
  type ModelLaneStop,
} from '@assay/lanes/model-lane/model-lane';
import { readDollars, readPrices } from '@assay/lanes/model-lane/prices';
import { openRecordFile } from '@assay/lanes/model-lane/record-file';

export interface GatewayRequest {
  endpoint: string;
  models: readonly string[];
  /** Names of dialects; default by the address. */
  dialects: readonly string[];
  /** Port on 127.0.0.1. Default: a free one. */
  port?: number;
  budgets: Omit<ModelBudgets, 'usd'>;
  /** US dollars, as a user wrote it. */
  usd?: string;
  /** File of prices. */
  prices?: string;
  maxOutputTokens?: number;
  /** New file for the record. */
  record?: string;
  onOpen: (gateway: { endpoints: Partial<Record<ModelDialect, string>>; token: string }) => void;
  onStop: (stop: ModelLaneStop) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Runs a model lane alone, on loopback, until the signal fires. The key is taken from the environment. Throws
 * `BAD_OPTION` before it listens when anything that was given is of no use.
 */
export async function runGateway(request: GatewayRequest): Promise<GatewayResult> {
  const { endpoint, models, port = 0, maxOutputTokens, onOpen, onStop, signal } = request;
  const url = parseEndpoint(endpoint);
  const dialects = readDialects(request.dialects, url);
  const apiKey = findModelKey(dialects);
  if (apiKey === undefined && !isLoopback(url)) {
    const [first = '', ...others] = keyVariables(dialects);
    const elsewhere = others.length > 0 ? `, or into ${others.join(' or ')}` : '';
    throw new AssayError('BAD_OPTION', {
      option: first,
      detail: `there is no key for ${url.origin}: put it into this variable${elsewhere}`,
    });
  }
  const usd = request.usd === undefined ? undefined : readDollars(request.usd);
  const prices = request.prices === undefined ? undefined : await readPrices(request.prices);
  await assertReachable(url);
  const file = request.record === undefined ? null : openRecordFile(request.record);
  const lane = await openModelLane({
    upstream: { endpoint, dialect: dialects, apiKey },
    models,
    listen: { port },
    onStop,
    record: file?.record ?? (() => {}),
    budgets: { ...request.budgets, usd },
    prices,
    ...(maxOutputTokens === undefined ? {} : { policy: { maxOutputTokens } }),
  }).catch((error: unknown) => {
    file?.discard();
    throw error;
  });
  try {
    onOpen({ endpoints: lane.endpoints(), token: lane.token });
    await ended(signal);
    const stop = lane.stopReason();
    return { usage: lane.usage(), stop };
  } finally {
    await lane.close();
    file?.close();
  }
}

function readDialects(names: readonly string[], url: URL): ModelDialect[] {
  const unknown = names.find((name) => !isModelDialect(name));
  if (unknown !== undefined)
    throw new AssayError('BAD_OPTION', {
      option: '--dialect',
      detail: `no dialect is called ${unknown}. There are: ${MODEL_DIALECTS.join(', ')}`,
    });
  return names.length === 0 ? guessDialects(url) : names.filter(isModelDialect);
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  // A socket that nobody uses does not keep the process alive for long; this does.
  const timer = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  clearInterval(timer);
}
