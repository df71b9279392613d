/**
 * A wire format of a model service: OpenAI's chat completions and responses, Anthropic's messages, Gemini's
 * generateContent.
 */
export type ModelDialect = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

export const MODEL_DIALECTS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
] as const satisfies readonly ModelDialect[];

export interface ModelUpstream {
  /** Base address of the service, such as `https://host/v1`; without credentials, query and fragment. */
  endpoint: string;
  /**
   * Dialects of the lane, out of {@link MODEL_DIALECTS}. Default: guessed from the address; the two of OpenAI on an
   * unknown host.
   */
  dialect?: ModelDialect | readonly ModelDialect[];
  /** Replaces the token in requests to the service. Omit it for a service that needs none. */
  apiKey?: string;
}

/** US dollars per million tokens, by the exact name of the model. */
export type ModelPrices = Record<string, ModelPrice>;
export interface ModelPrice {
  inputPerMillion: number;
  outputPerMillion: number;
  /** Price of input that the service had in its cache. Default: that of other input. */
  cachedInputPerMillion?: number;
  /** Price of input that the service writes to its cache. Default: that of other input. */
  cacheWritePerMillion?: number;
}

/** Budgets of a trial. All but `requests` are unlimited unless given. */
export interface ModelBudgets {
  /** Includes cached input. */
  inputTokens?: number;
  /** Includes reasoning. */
  outputTokens?: number;
  totalTokens?: number;
  /** Needs a price for every model of the lane. */
  usd?: number;
  /** Every request that bears the token counts, refused ones too. Default 1000. */
  requests?: number;
  /** Milliseconds since the lane was opened. */
  wallMs?: number;
}

export interface ModelLanePolicy {
  /** Output limit of one answer, also for requests that ask for more or set none. Default: as asked. */
  maxOutputTokens?: number;
  /** Limit on a request. Default 32 MiB. */
  requestBytes: number;
  /** Limit on an answer. Default 64 MiB. */
  responseBytes: number;
  /** Limit on the copy of one answer in the record. A longer one is cut, and marked. Default 8 MiB. */
  recordedBytes: number;
  /** Limit on bodies and copies that all requests hold together. Beyond it requests are refused. Default 256 MiB. */
  heldBytes: number;
  /**
   * Limit on all records together. It is a budget: the client makes them grow, and an answer that cannot be recorded is
   * not served. Default 2 GiB.
   */
  recordBytes: number;
  /** Requests at the same time; more are refused. Default 256. */
  concurrency: number;
  /** Limit for connecting to the service. Default 10,000. */
  connectMs: number;
  /** Limit for the first byte of a stream. Default 120,000. */
  firstByteMs: number;
  /** Limit for a complete answer that is not a stream. Default 600,000. */
  answerMs: number;
  /** Limit between two pieces of a stream, from the service or to the client. Default 120,000. */
  idleMs: number;
  /** Limit of one answer, however steadily it arrives. Default 1,800,000. */
  totalMs: number;
  /**
   * Where a budget of tokens or money is kept: what a service may take to end its answer after the client has left, as
   * it tells the cost last. Then the request costs what was set aside for it. Default 60 000.
   */
  readOnMs: number;
  /** Tries of one request before it counts as failed. Default 6. */
  attempts: number;
  /**
   * All waits between tries of one request. Default 240 000; Gemini, whose client gives up sooner, never more than 60
   * 000.
   */
  absorbMs: number;
  /** First wait between tries, doubled each time. Default 500. */
  backOffMs: number;
  /** Limit on a service's Retry-After. Default 30,000. */
  retryAfterMs: number;
  /** Number of streams in a row that may break after their first byte before the lane gives up. Default 10. */
  brokenStreams: number;
}

export const DEFAULT_MODEL_LANE_POLICY: ModelLanePolicy = {
  requestBytes: 32 * 1024 * 1024,
  responseBytes: 64 * 1024 * 1024,
  recordedBytes: 8 * 1024 * 1024,
  heldBytes: 256 * 1024 * 1024,
  recordBytes: 2 * 1024 * 1024 * 1024,
  concurrency: 256,
  connectMs: 10_000,
  firstByteMs: 120_000,
  answerMs: 600_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  readOnMs: 60_000,
  attempts: 6,
  absorbMs: 240_000,
  backOffMs: 500,
  retryAfterMs: 30_000,
  brokenStreams: 10,
};

export interface ModelLaneOptions {
  upstream: ModelUpstream;
  /** Exact names; a request for any other is refused. At least one. */
  models: readonly string[];
  /** Secret that the client has to present. Default: 32 random bytes. */
  token?: string;
  budgets?: ModelBudgets;
  prices?: ModelPrices;
  policy?: Partial<ModelLanePolicy>;
  /** Called once for each request, when it is over. If it throws, the lane stops. */
  record: (entry: ModelLaneEntry) => void;
  /** Called once, when the lane stops by itself. */
  onStop?: (stop: ModelLaneStop) => void;
  /** `socket` (default): a new Unix socket. A port: on 127.0.0.1; 0 for any. */
  listen?: 'socket' | { port: number };
  /** Closes the lane. */
  signal?: AbortSignal;
}

/**
 * Why a lane answers no more. `budget` and `requests`: the agent used up what it had. `record`: it cannot be written.
 * Else than the first two: the trial says nothing about the agent.
 */
export interface ModelLaneStop {
  kind: 'budget' | 'requests' | 'infrastructure' | 'record' | 'revoked';
  /** Holds no secret. */
  detail: string;
}

export interface ModelUsage {
  /** Cached and newly cached input included. */
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  /** Includes reasoning. */
  outputTokens: number;
}

export interface ModelLaneUsage extends ModelUsage {
  /** Null when no prices are known. */
  usd: number | null;
  requests: number;
  answered: number;
  refused: number;
  /** Attempts that failed and were retried, unseen by the client. */
  retries: number;
  /** Answers that broke after their first byte. */
  broken: number;
  /** Answers without a usage report from the service. Their tokens are estimated from bytes. */
  estimated: number;
}

/**
 * `answered`; `refused` by the lane; `budget` spent; `infrastructure`: the service failed, or the lane is stopped for
 * that; `upstream-refused`: the service says that the request is wrong, or fails at it while it answers others;
 * `client-gone`: the client left before the end, or did not take what came.
 */
export type ModelLaneOutcome =
  | 'answered'
  | 'refused'
  | 'budget'
  | 'infrastructure'
  | 'upstream-refused'
  | 'client-gone';

/** The record of one request: with those of a lane in order, all that passed between agent and model. JSON. */
export interface ModelLaneEntry {
  /** From 1, by arrival. Entries are written when requests end. */
  sequence: number;
  /** Arrival, ISO 8601. */
  time: string;
  /** Null when the lane does not serve the path. */
  dialect: ModelDialect | null;
  method: string;
  path: string;
  model: string | null;
  stream: boolean;
  request: {
    bytes: number;
    /** Digest of the received bytes. Null when they were not read. */
    sha256: string | null;
    /** As it was sent to the service; null when it was not. */
    body: unknown;
  };
  /** Paths that were removed from the request, with the reason. */
  stripped: string[];
  /** Paths that the lane added or changed. */
  injected: string[];
  outcome: ModelLaneOutcome;
  /** HTTP status of the answer to the client. */
  status: number;
  detail: string | null;
  response: {
    status: number;
    contentType: string;
    bytes: number;
    sha256: string;
    text: string;
    truncated: boolean;
    malformedEvents: number;
  } | null;
  usage: (ModelUsage & { usd: number | null; estimated: boolean }) | null;
  /** Tries that failed, oldest first. */
  retries: { detail: string; waitMs: number }[];
  /** Milliseconds since arrival; null when nothing came. */
  firstByteMs: number | null;
  totalMs: number;
}

export interface ModelLane {
  /** Path of the Unix socket that it listens on, if it does. */
  readonly socket: string | null;
  readonly address: { host: string; port: number } | null;
  /** Never the real key. */
  readonly token: string;
  /** Base URL for clients under an origin, by dialect; the origin is the sandbox's relay, or the lane's own address. */
  endpoints(origin?: string): Partial<Record<ModelDialect, string>>;
  usage(): ModelLaneUsage;
  stopReason(): ModelLaneStop | null;
  /**
   * Once the client asks no more: whether the service failed at the last thing that it asked, though not for good.
   * Where that may lie in the request, the lane asks it again. Waits for a check of the service that runs, so that
   * `stopReason` is known. Throws the signal's reason.
   */
  lastFailed(signal?: AbortSignal): Promise<boolean>;
  /** Stops the lane: refuses new requests and ends those under way. */
  revoke(): void;
  /** Ends everything and removes the socket. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
