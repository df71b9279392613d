import { AssayError } from '@assay/protocol/errors';
import type { OptionSpec } from '../command.ts';

export const providerOption = {
  kind: 'text',
  value: 'NAME',
  description: 'sandbox provider, as `assay doctor` lists them (default: the strongest here)',
} as const satisfies OptionSpec;

/** Options of the model that judges answers to standards. */
export const judgeOptions = {
  'judge-endpoint': {
    kind: 'url',
    value: 'URL',
    description: 'of a model that judges where a task needs one; its key is in ASSAY_JUDGE_KEY',
  },
  'judge-model': { kind: 'text', value: 'NAME', description: 'name of that model' },
} as const satisfies Record<string, OptionSpec>;

/** Budgets for a model. */
export const budgetOptions = {
  'max-requests': { kind: 'count', value: 'N', description: 'requests to the model (default: 1000)' },
  'max-tokens': { kind: 'count', value: 'N', description: 'tokens, input and output together' },
  'max-usd': { kind: 'text', value: 'AMOUNT', description: 'US dollars; needs --prices' },
  prices: {
    kind: 'text',
    value: 'FILE',
    description: 'JSON: {model: {inputPerMillion, outputPerMillion, cachedInputPerMillion?}}, in US dollars',
  },
} as const satisfies Record<string, OptionSpec>;

/** Options of the model that an agent asks. */
export const modelOptions = {
  model: { kind: 'text', value: 'NAME', description: 'exact name of the model that the agent asks, where it asks one' },
  endpoint: {
    kind: 'url',
    value: 'URL',
    description: "base address of the model's service, without credentials (default: the provider's own)",
  },
  ...budgetOptions,
} as const satisfies Record<string, OptionSpec>;

export interface AgentModelInput {
  model: string | undefined;
  endpoint: string | undefined;
  'max-requests': number | undefined;
  'max-tokens': number | undefined;
  'max-usd': string | undefined;
  prices: string | undefined;
}

/** The options about the agent's model; undefined when none was given. */
export function agentModel(
  options: AgentModelInput,
):
  | { name?: string; endpoint?: string; maxRequests?: number; maxTokens?: number; maxUsd?: string; prices?: string }
  | undefined {
  const {
    model: name,
    endpoint,
    'max-requests': maxRequests,
    'max-tokens': maxTokens,
    'max-usd': maxUsd,
    prices,
  } = options;
  const model = given({ name, endpoint, maxRequests, maxTokens, maxUsd, prices });
  return Object.keys(model).length === 0 ? undefined : model;
}

/** Both options or neither. Throws `BAD_OPTION`. */
export function judgeAddress(options: {
  'judge-endpoint': string | undefined;
  'judge-model': string | undefined;
}): { endpoint: string; model: string } | undefined {
  const { 'judge-endpoint': endpoint, 'judge-model': model } = options;
  if (endpoint === undefined && model === undefined) return undefined;
  if (endpoint === undefined)
    throw new AssayError('BAD_OPTION', { option: '--judge-model', detail: 'give --judge-endpoint too' });
  if (model === undefined)
    throw new AssayError('BAD_OPTION', { option: '--judge-endpoint', detail: 'give --judge-model too' });
  return { endpoint, model };
}

/** Leaves out what was not given, as exact optional properties want it. */
export function given<Values extends Record<string, unknown>>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
}
