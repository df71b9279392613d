import type { Trial, TrialUsage } from '@assay/protocol';

/** Null dollars are unknown, and so is a sum that they are part of. */
export function addUsage(a: TrialUsage | undefined, b: TrialUsage | undefined): TrialUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
    retries: a.retries + b.retries,
    estimated: a.estimated + b.estimated,
  };
}

/** Adds up the usage of all trials, discarded tries included; undefined when none asked a model. */
export function totalUsage(trials: readonly Pick<Trial, 'usage' | 'discarded'>[]): TrialUsage | undefined {
  return trials.flatMap(({ usage, discarded }) => [usage, discarded?.usage]).reduce(addUsage, undefined);
}
