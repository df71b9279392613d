/** A model that answers one question at a time. */
export interface ChatModel {
  /**
   * Throws `MODEL_FAILED`, `MODEL_KEY_MISSING`, `MODEL_OVERFLOW` or `INTERRUPTED`. A refusal and a cut answer are
   * answers: see `stop`.
   */
  complete(request: ChatRequest): Promise<ChatAnswer>;
}

export interface ChatRequest {
  system: string;
  user: string;
  /** Limit on the answer. */
  maxTokens: number;
  /** Left out, and not asked for again, when the service does not take it. Default: the service's own. */
  temperature?: number;
  signal?: AbortSignal;
  /** Called before a request is made once more. */
  onRetry?: (retry: Retry) => void;
}

/** `attempt`: which one comes next, the first one being 1; `why`: what became of the one before. */
export interface Retry {
  attempt: number;
  why: string;
}

export interface ChatAnswer {
  /** May be empty only after `truncated` and `refused`, or where empty answers are allowed. */
  text: string;
  /**
   * `truncated`: the limit of tokens was reached. `refused`: the model, or a filter before or behind it, would not
   * answer.
   */
  stop: 'end' | 'truncated' | 'refused';
  /** Name of the model as the service reports it, often more exact than the requested one. */
  servedBy?: string;
  usage: { inputTokens: number; outputTokens: number };
}
