import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { readCapped } from './read-capped.ts';

/** A model that answers one question at a time. */
export interface ChatModel {
  /** Throws `MODEL_FAILED`, `MODEL_KEY_MISSING` or `INTERRUPTED`. */
  complete(request: ChatRequest): Promise<ChatAnswer>;
}

export interface ChatRequest {
  system: string;
  user: string;
  /** Of the answer. */
  maxTokens: number;
  signal?: AbortSignal;
}

export interface ChatAnswer {
  text: string;
  usage: { inputTokens: number; outputTokens: number };
}

export interface ChatModelOptions {
  /** Base address of an OpenAI-compatible service, such as `http://127.0.0.1:8000/v1`, or its `/chat/completions` itself. */
  endpoint: string;
  model: string;
  /** Default: `ASSAY_MODEL_KEY`, else `OPENAI_API_KEY`; a service on this machine may need none. */
  apiKey?: string;
  /** Of one attempt, in milliseconds. Default 120 000. */
  timeoutMs?: number;
  /** Default 5. */
  attempts?: number;
  /** Wait after the first failure, in milliseconds; doubled each time. Default 500. */
  backOffMs?: number;
}

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** However long a service asks to wait. */
const MAX_WAIT_MS = 30_000;
const KEY_VARIABLES = ['ASSAY_MODEL_KEY', 'OPENAI_API_KEY'];

const Answer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish() }) })).min(1),
  usage: z.object({ prompt_tokens: z.number().default(0), completion_tokens: z.number().default(0) }).nullish(),
});

/** A failed attempt. `waitMs`: how long the service asked to wait; null when trying again is of no use. */
class AttemptFailure extends Error {
  readonly waitMs: number | null;
  constructor(message: string, waitMs: number | null) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** A model behind an OpenAI-compatible `/chat/completions`. Throws `BAD_OPTION` when the endpoint is no http address. */
export function openChatModel(options: ChatModelOptions): ChatModel {
  const url = completionsUrl(options.endpoint);
  const shown = `${url.origin}${url.pathname}`;
  const key = options.apiKey ?? KEY_VARIABLES.map((name) => process.env[name]).find((value) => value !== undefined && value !== '');
  const attempts = options.attempts ?? 5;
  return {
    complete: async (request) => {
      let last = '';
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        try {
          return await attemptOnce(url, key, options, request);
        } catch (error) {
          if (request.signal?.aborted) throw new AssayError('INTERRUPTED', {}, { cause: error });
          if (!(error instanceof AttemptFailure)) throw error;
          last = error.message;
          if (error.waitMs === null) break;
          const backOff = (options.backOffMs ?? 500) * 2 ** attempt * (0.75 + Math.random() / 2);
          if (attempt + 1 < attempts) await wait(Math.min(MAX_WAIT_MS, Math.max(error.waitMs, backOff)), request.signal);
        }
      }
      throw new AssayError('MODEL_FAILED', { endpoint: shown, detail: last });
    },
  };
}

function completionsUrl(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new AssayError('BAD_OPTION', { option: '--endpoint', detail: 'give an http or https address, such as http://127.0.0.1:8000/v1' });
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/chat/completions') ? path : `${path}/chat/completions`;
  return url;
}

async function attemptOnce(url: URL, key: string | undefined, { model, timeoutMs = 120_000 }: ChatModelOptions, request: ChatRequest): Promise<ChatAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
  const body = {
    model,
    max_tokens: request.maxTokens,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: request.user },
    ],
  };
  const { status, text, retryAfter } = await post(url, key, body, signal);
  if (status === 401 && key === undefined) throw new AssayError('MODEL_KEY_MISSING', { endpoint: `${url.origin}${url.pathname}`, variable: KEY_VARIABLES.join(' or ') });
  if (status === 400 && text.includes('max_completion_tokens')) {
    const { max_tokens: _, ...others } = body;
    return readAnswer(await post(url, key, { ...others, max_completion_tokens: request.maxTokens }, signal));
  }
  return readAnswer({ status, text, retryAfter });
}

interface Reply {
  status: number;
  text: string;
  retryAfter: string | null;
}

async function post(url: URL, key: string | undefined, body: unknown, signal: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
      // The key is for this address and no other.
      redirect: 'error',
      signal,
    });
    const text = await readCapped(response, MAX_ANSWER_BYTES);
    if (text === null) throw new AttemptFailure(`an answer of more than ${MAX_ANSWER_BYTES} bytes`, null);
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    if (error instanceof AttemptFailure) throw error;
    throw new AttemptFailure(signal.aborted ? 'no answer in time' : reason(error), 0);
  }
}

function readAnswer({ status, text, retryAfter }: Reply): ChatAnswer {
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) throw new AttemptFailure(`status ${status}`, waitMilliseconds(retryAfter));
  if (status < 200 || status > 299) throw new AttemptFailure(`status ${status}: ${excerpt(text)}`, null);
  const answer = Answer.safeParse(parseJson(text));
  const content = answer.data?.choices[0]?.message.content;
  const answered = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  if (answered.trim() === '') throw new AttemptFailure(answer.success ? 'an empty answer' : `no chat completion: ${excerpt(text)}`, 0);
  return { text: answered, usage: { inputTokens: answer.data?.usage?.prompt_tokens ?? 0, outputTokens: answer.data?.usage?.completion_tokens ?? 0 } };
}

/** Seconds, or a date. */
function waitMilliseconds(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function excerpt(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').trim().slice(0, 200);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
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
