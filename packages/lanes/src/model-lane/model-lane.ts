import { randomBytes } from 'node:crypto';
import { AssayError } from '@assay/protocol';
import { lastFailed } from './check-service.ts';
import { DEFAULT_MODEL_LANE_POLICY, type ModelDialect, type ModelLane, type ModelLaneOptions } from './contract.ts';
import { guessDialects, LANE_DIALECTS } from './dialects/lane-dialects.ts';
import { checkKey, parseEndpoint } from './endpoint.ts';
import { shareLimiter } from './endpoint-limiter.ts';
import { LaneListener } from './lane-listener.ts';
import { LaneState } from './lane-state.ts';
import { assertPriced } from './prices.ts';
import { UpstreamClient } from './upstream-client.ts';

export type * from './contract.ts';
export { DEFAULT_MODEL_LANE_POLICY, MODEL_DIALECTS } from './contract.ts';

/**
 * Opens a lane to a model: an HTTP server that passes on what a list allows, with the real key in place of its own
 * token, within budgets, and records all of it. Throws `BAD_OPTION` when the endpoint, the key, a model or a budget is
 * of no use; nothing is left behind then.
 */
export async function openModelLane(options: ModelLaneOptions): Promise<ModelLane> {
  const { models, budgets = {}, prices, record, signal, upstream } = options;
  if (signal?.aborted) throw new AssayError('INTERRUPTED');
  const base = parseEndpoint(upstream.endpoint);
  const apiKey = upstream.apiKey === undefined ? undefined : checkKey(upstream.apiKey, 'the key of the model');
  const names = dialectNames(upstream.dialect ?? guessDialects(base));
  if (models.length === 0 || models.includes(''))
    throw new AssayError('BAD_OPTION', { option: '--model', detail: 'give the name of a model' });
  if (budgets.usd !== undefined) assertPriced(models, prices);
  const policy = { ...DEFAULT_MODEL_LANE_POLICY, ...options.policy };
  const token = options.token ?? randomBytes(32).toString('base64url');
  const client = new UpstreamClient(base, policy);
  const { limiter, leave } = shareLimiter(base.origin);
  const state = new LaneState({
    base,
    dialects: names.map((name) => LANE_DIALECTS[name]),
    models,
    token,
    apiKey,
    budgets,
    prices,
    policy,
    record,
    onStop: options.onStop,
    client,
    limiter,
  });
  const listener = await LaneListener.listen(state, options.listen ?? 'socket').catch((error: unknown) => {
    client.close();
    leave();
    throw error;
  });
  const revoke = (): void => void state.stop({ kind: 'revoked', detail: 'the lane is closed' }, { abort: true });
  const wall = budgets.wallMs === undefined ? undefined : startWall(state, budgets.wallMs);
  const close = async (): Promise<void> => {
    clearTimeout(wall);
    signal?.removeEventListener('abort', onAbort);
    revoke();
    client.close();
    leave();
    await listener.close();
  };
  const onAbort = (): void => void close().catch(() => {});
  signal?.addEventListener('abort', onAbort, { once: true });
  const address = listener.address;
  return {
    socket: listener.socket,
    address,
    token,
    endpoints: (origin = address === null ? '' : `http://${address.host}:${address.port}`) =>
      endpointsOf(names, origin),
    usage: () => ({ ...state.budget.spent }),
    stopReason: () => state.stopped,
    lastFailed: (signal) => lastFailed(state, signal),
    revoke,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function dialectNames(given: ModelDialect | readonly ModelDialect[]): ModelDialect[] {
  const names = [...new Set(typeof given === 'string' ? [given] : given)];
  if (names.length === 0)
    throw new AssayError('BAD_OPTION', {
      option: '--dialect',
      detail: `give one of ${Object.keys(LANE_DIALECTS).join(', ')}`,
    });
  return names;
}

function endpointsOf(names: readonly ModelDialect[], origin: string): Partial<Record<ModelDialect, string>> {
  return Object.fromEntries(names.map((name) => [name, `${origin}${LANE_DIALECTS[name].basePath}`]));
}

function startWall(state: LaneState, milliseconds: number): NodeJS.Timeout {
  const timer = setTimeout(
    () => state.stop({ kind: 'budget', detail: `the budget of ${milliseconds / 1000} s is spent` }, { abort: true }),
    milliseconds,
  );
  timer.unref();
  return timer;
}
