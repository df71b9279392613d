import type { ChatAnswer, ChatRequest } from '../contract.ts';

/** The protocol of one family of services. */
export interface Dialect {
  readonly name: string;
  /** Variable that holds the key when `ASSAY_MODEL_KEY` is not set. */
  readonly keyVariable: string;
  /** The address to post to. `base` has no slash at its end. */
  address(base: URL): URL;
  headers(key: string | undefined): Record<string, string>;
  body(model: string, request: ChatRequest, quirks: Quirks): unknown;
  /** Null when this is not an answer of the dialect. `overflow`: the request does not fit the model's window. */
  readAnswer(json: unknown): ChatAnswer | 'overflow' | null;
}

/** Ways in which one service differs from others of its dialect. */
export interface Quirks {
  /** The limit is called `max_completion_tokens`. */
  newTokenLimit: boolean;
  noTemperature: boolean;
}
