import type { ChatAnswer, ChatRequest } from '../contract.ts';

/** How one family of services is spoken to. */
export interface Dialect {
  readonly name: string;
  /** Where the key is, after `ASSAY_MODEL_KEY`. */
  readonly keyVariable: string;
  /** The address to post to. `base` has no slash at its end. */
  address(base: URL): URL;
  headers(key: string | undefined): Record<string, string>;
  body(model: string, request: ChatRequest, quirks: Quirks): unknown;
  /** Null when this is no answer of the dialect; `overflow` when what was asked does not fit the model's window. */
  readAnswer(json: unknown): ChatAnswer | 'overflow' | null;
}

/** Ways in which one service differs from others of its dialect. */
export interface Quirks {
  /** The limit is called `max_completion_tokens`. */
  newTokenLimit: boolean;
  noTemperature: boolean;
}
