import { AssayError, type JobModel } from '@assay/protocol';
import type { Agent } from '../../agents/agent.ts';
import { guessDialects } from '@assay/lanes/model-lane/dialects/lane-dialects';
import {
  assertReachable,
  findModelKey,
  isLoopback,
  keyVariables,
  parseEndpoint,
} from '@assay/lanes/model-lane/endpoint';
import type { ModelBudgets, ModelDialect, ModelLanePolicy, ModelPrices } from '@assay/lanes/model-lane/model-lane';
import { assertPriced, readDollars, readPrices } from '@assay/lanes/model-lane/prices';
import { checkModel } from './check-model.ts';

/** A user's settings for the model that an agent asks. */
export interface AgentModelOptions {
  /** Exact name. */
  name?: string;
  /** Base address of the service, without credentials. Default: the provider's own, by the agent's first dialect. */
  endpoint?: string;
  /** Requests of one trial. Default: 1000. */
  maxRequests?: number;
  /** Input and output together, of one trial. */
  maxTokens?: number;
  /** US dollars, as a user wrote them, of one trial. */
  maxUsd?: string;
  /** File of prices. */
  prices?: string;
  policy?: Partial<ModelLanePolicy>;
  /**
   * Milliseconds that an agent may go on after its lane has stopped. Default: 30 000 when it spent its budget, 2000
   * when its model failed.
   */
  graceMs?: number;
}

/** Settings of the lanes of a job's trials. The key is here and in no file. */
export interface TrialModel {
  name: string;
  endpoint: string;
  dialects: readonly ModelDialect[];
  apiKey?: string;
  budgets: ModelBudgets;
  prices?: ModelPrices;
  policy?: Partial<ModelLanePolicy>;
  graceMs?: number;
}

const PROVIDERS: Readonly<Record<ModelDialect, string>> = {
  'openai-chat': 'https://api.openai.com/v1',
  'openai-responses': 'https://api.openai.com/v1',
  'anthropic-messages': 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
};

/**
 * Checks what was said about an agent's model before anything runs; undefined for agents that ask none. The key is
 * taken from the environment. Throws `BAD_OPTION`.
 */
export async function resolveAgentModel(
  agent: Agent | { cheat: string },
  options: AgentModelOptions = {},
  signal?: AbortSignal,
): Promise<TrialModel | undefined> {
  const use = 'cheat' in agent ? undefined : agent.model;
  if (use === undefined) {
    refuseModelOptions(options);
    return undefined;
  }
  const name = checkName(options.name);
  const [first = 'openai-chat'] = use.dialects;
  const url = parseEndpoint(options.endpoint ?? PROVIDERS[first]);
  const dialects = commonDialects(use.dialects, url);
  const apiKey = requireKey(dialects, url);
  const usd = options.maxUsd === undefined ? undefined : readDollars(options.maxUsd);
  const prices = options.prices === undefined ? undefined : await readPrices(options.prices);
  if (usd !== undefined) assertPriced([name], prices);
  await assertReachable(url);
  await checkModel({ base: url, dialect: dialects[0] ?? first, name, apiKey }, signal);
  return {
    name,
    endpoint: `${url.origin}${url.pathname}`,
    dialects,
    budgets: { requests: options.maxRequests, totalTokens: options.maxTokens, usd },
    apiKey,
    prices,
    policy: options.policy,
    graceMs: options.graceMs,
  };
}

/** As it stands in job.json: nothing secret. */
export function jobModel({
  name,
  endpoint,
  dialects,
  budgets: { requests, totalTokens, usd },
  prices,
}: TrialModel): JobModel {
  const price = prices !== undefined && Object.hasOwn(prices, name) ? prices[name] : undefined;
  return { name, endpoint, dialects: [...dialects], budgets: { requests, totalTokens, usd }, price };
}

/** An agent that asks no model is not told about one. */
function refuseModelOptions({ name, endpoint, maxRequests, maxTokens, maxUsd, prices }: AgentModelOptions): void {
  const given = {
    '--model': name,
    '--endpoint': endpoint,
    '--max-requests': maxRequests,
    '--max-tokens': maxTokens,
    '--max-usd': maxUsd,
    '--prices': prices,
  };
  const option = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (option !== undefined) throw bad(option, 'this agent asks no model');
}

function checkName(name: string | undefined): string {
  if (name === undefined) throw bad('--model', 'this agent asks a model: say which');
  if (!/^[\x21-\x7e]{1,200}$/.test(name)) throw bad('--model', 'give the exact name of a model, without blanks');
  return name;
}

/** Returns the dialects that agent and service share. A service on an unknown host may speak all of the agent's. */
function commonDialects(spoken: readonly ModelDialect[], url: URL): ModelDialect[] {
  const guessed = guessDialects(url);
  const common = spoken.filter((dialect) => guessed.includes(dialect));
  return common.length > 0 ? common : [...spoken];
}

function requireKey(dialects: readonly ModelDialect[], url: URL): string | undefined {
  const key = findModelKey(dialects);
  if (key !== undefined || isLoopback(url)) return key;
  const [first = '', ...others] = keyVariables(dialects);
  const elsewhere = others.length > 0 ? `, or into ${others.join(' or ')}` : '';
  throw bad(first, `there is no key for ${url.origin}: put it into this variable${elsewhere}`);
}

const bad = (option: string, detail: string): AssayError => new AssayError('BAD_OPTION', { option, detail });
