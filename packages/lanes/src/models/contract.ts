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
  /** Omitted from then on when the service does not accept it. Default: the service's own. */
  temperature?: number;
  signal?: AbortSignal;
  /** Called before each retry. */
  onRetry?: (retry: Retry) => void;
}

/** `attempt`: number of the next attempt, counted from 1. `why`: reason that the last one failed. */
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
