import { AssayError } from '@assay/protocol';
import type { ChatAnswer, ChatModel, ChatRequest } from './contract.ts';
import { anthropicMessages } from './dialects/anthropic-messages.ts';
import type { Dialect, Quirks } from './dialects/dialect.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { AttemptFailure, excerpt, parseJson, postJson, type Reply } from './post-json.ts';

export type { ChatAnswer, ChatModel, ChatRequest } from './contract.ts';

export type DialectName = 'openai' | 'anthropic';

export interface ChatModelOptions {
  /**
   * Base address of an OpenAI-compatible service, such as `http://127.0.0.1:8000/v1`, or its `/chat/completions`
   * itself; or an Anthropic-compatible one, such as `https://api.anthropic.com`, or its `/v1/messages` itself.
   */
  endpoint: string;
  model: string;
  /**
   * Default by the address: `anthropic` when its path ends with `/messages`, or with `/anthropic` or `/anthropic/v1`,
   * or when the host is anthropic.com or below it; else `openai`.
   */
  dialect?: DialectName;
  /**
   * Default: by `keyVariables`, else `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` by the dialect; a service on this machine
   * may need none.
   */
  apiKey?: string;
  /** Variables that may hold the key, in order of precedence. Default: `ASSAY_MODEL_KEY`. */
  keyVariables?: readonly string[];
  /** Key of another service, which must never be sent to this one, whatever variable holds it. */
  foreignKey?: string | undefined;
  /** Limit of one attempt, in milliseconds. Default 120,000. */
  timeoutMs?: number;
  /** Default 5. */
  attempts?: number;
  /** Accept an empty answer instead of asking again. Default false. */
  allowEmpty?: boolean;
  /** Wait after the first failure, in milliseconds; doubled each time. Default 500. */
  backOffMs?: number;
}

/** However long a service asks to wait. */
const MAX_WAIT_MS = 30_000;
const DIALECTS: Record<DialectName, Dialect> = { openai: openaiChat, anthropic: anthropicMessages };
const TOO_LONG =
  /context[ _-]?(?:length|window)|prompt is too long|maximum (?:context|prompt)|too many (?:input )?tokens|request_too_large|string_above_max_length/i;

/** Opens a model behind an HTTP service. Throws `BAD_OPTION` for an endpoint that is not http, or a malformed key. */
export function openChatModel(options: ChatModelOptions): ChatModel {
  const address = parseAddress(options.endpoint);
  const dialect = DIALECTS[options.dialect ?? guessDialect(address)];
  const url = dialect.address(address);
  const variables = [...(options.keyVariables ?? ['ASSAY_MODEL_KEY']), dialect.keyVariable];
  const key = findKey(options.apiKey, variables, options.foreignKey);
  const service: Service = {
    url,
    shown: `${url.origin}${url.pathname}`,
    key,
    variables,
    dialect,
    quirks: { newTokenLimit: false, noTemperature: false },
    options,
  };
  return { complete: (request) => completeWithRetries(service, request) };
}

function findKey(
  given: string | undefined,
  variables: readonly string[],
  foreign: string | undefined,
): string | undefined {
  const variable = variables.find((name) => !['', foreign].includes((process.env[name] ?? '').trim()));
  const key = (given ?? (variable === undefined ? undefined : process.env[variable]))?.trim();
  // The HTTP client would show such a key in its message.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new AssayError('BAD_OPTION', {
      option: given === undefined ? (variable ?? '') : 'the key of the model',
      detail: 'it holds characters that no key has',
    });
  return key;
}

interface Service {
  url: URL;
  shown: string;
  key: string | undefined;
  variables: string[];
  dialect: Dialect;
  /** Learnt from requests that the service refused. */
  quirks: Quirks;
  options: ChatModelOptions;
}

async function completeWithRetries(service: Service, request: ChatRequest): Promise<ChatAnswer> {
  const { attempts = 5, backOffMs = 500 } = service.options;
  let last = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      return await attemptOnce(service, request);
    } catch (error) {
      if (request.signal?.aborted) throw new AssayError('INTERRUPTED', {}, { cause: error });
      if (!(error instanceof AttemptFailure)) throw error;
      last = error.message;
      if (error.waitMs === null) break;
      const backOff = backOffMs * 2 ** attempt * (0.75 + Math.random() / 2);
      if (attempt + 1 === attempts) break;
      request.onRetry?.({ attempt: attempt + 2, why: last });
      await wait(Math.min(MAX_WAIT_MS, Math.max(error.waitMs, backOff)), request.signal);
    }
  }
  throw new AssayError('MODEL_FAILED', { endpoint: service.shown, detail: last });
}

async function attemptOnce(service: Service, request: ChatRequest): Promise<ChatAnswer> {
  const { url, key, dialect, quirks, options } = service;
  const limits = { timeoutMs: options.timeoutMs ?? 120_000, signal: request.signal };
  for (;;) {
    const used = { ...quirks };
    const reply = await postJson(url, dialect.headers(key), dialect.body(options.model, request, used), limits);
    if (reply.status === 401 && key === undefined)
      throw new AssayError('MODEL_KEY_MISSING', { endpoint: service.shown, variable: service.variables.join(' or ') });
    if (!learnQuirk(reply, request, used, quirks)) return readAnswer(service, reply);
  }
}

/** Returns whether the service newly refused a parameter that can be renamed or left out. */
function learnQuirk({ status, text }: Reply, request: ChatRequest, used: Quirks, quirks: Quirks): boolean {
  if (status !== 400 && status !== 422) return false;
  if (!used.newTokenLimit && text.includes('max_completion_tokens')) return (quirks.newTokenLimit = true);
  if (!used.noTemperature && request.temperature !== undefined && /temperature/i.test(text))
    return (quirks.noTemperature = true);
  return false;
}

function readAnswer({ dialect, shown, options }: Service, { status, text, retryAfter }: Reply): ChatAnswer {
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500)
    throw new AttemptFailure(`status ${status}`, waitMilliseconds(retryAfter));
  if (status === 413 || (status === 400 && TOO_LONG.test(text)))
    throw new AssayError('MODEL_OVERFLOW', { endpoint: shown, detail: `status ${status}: ${excerpt(text)}` });
  if (status < 200 || status > 299) throw new AttemptFailure(`status ${status}: ${excerpt(text)}`, null);
  const answer = dialect.readAnswer(parseJson(text));
  if (answer === null) throw new AttemptFailure(`no answer of the ${dialect.name} dialect: ${excerpt(text)}`, 0);
  if (answer === 'overflow')
    throw new AssayError('MODEL_OVERFLOW', { endpoint: shown, detail: 'the window of the model is full' });
  if (answer.text.trim() === '' && answer.stop === 'end' && options.allowEmpty !== true)
    throw new AttemptFailure('an empty answer', 0);
  return answer;
}

function parseAddress(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new AssayError('BAD_OPTION', {
      option: '--endpoint',
      detail: 'give an http or https address, such as http://127.0.0.1:8000/v1',
    });
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

function guessDialect({ hostname, pathname }: URL): DialectName {
  return /\/messages$|\/anthropic(?:\/v1)?$/.test(pathname) || /(?:^|\.)anthropic\.com$/.test(hostname)
    ? 'anthropic'
    : 'openai';
}

/** Seconds, or a date. */
function waitMilliseconds(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(new AssayError('INTERRUPTED'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
