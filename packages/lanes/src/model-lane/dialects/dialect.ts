import type { IncomingHttpHeaders } from 'node:http';
import type { ModelDialect, ModelUsage } from '../contract.ts';
import type { Rule } from '../rules.ts';

/** The facts in a request's path. `model` and `stream` are null when they are in the body. */
export interface Route {
  model: string | null;
  stream: boolean | null;
}

/** Where an output limit stands in the body. */
export interface OutputLimit {
  /**
   * Names from the outermost object to the limit. Each that a request has is lowered; when it has none, one is made.
   */
  paths: readonly (readonly string[])[];
  /** Smallest value that the service accepts. */
  minimum: number;
}

/** One wire format: which requests of it pass, how they are sent on, and what its answers say. */
export interface LaneDialect {
  readonly name: ModelDialect;
  /** Variables that hold the key, after `ASSAY_MODEL_KEY`. */
  readonly keyVariables: readonly string[];
  /** Path of a client's base URL. */
  readonly basePath: string;
  /** Parses the target of a POST. Returns null when it belongs to another dialect. */
  route(target: string): Route | null;
  /** Address of the service for a routed target. */
  address(base: URL, target: string): URL;
  /** Returns the token that a request presents. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined;
  keyHeaders(key: string): Record<string, string>;
  /** Headers of the client that go up, beside `accept` and `content-type`. Notes what was taken out. */
  headersUp(headers: IncomingHttpHeaders, stripped: string[]): Record<string, string>;
  /** Rule for the whole body. */
  readonly body: Rule;
  /** After the rules: what is forced. */
  force(body: Record<string, unknown>, injected: string[]): void;
  readonly outputLimit: OutputLimit;
  /** Where a limit is put in for this service, when it is not the first of the paths. */
  limitPath?(base: URL): readonly string[] | undefined;
  /** A question that asks for a word or two: where it goes and its body, without a limit of output. */
  small(model: string, stream: boolean): { target: string; body: Record<string, unknown> };
  /** An error that the client shows and does not try again. */
  errorBody(status: number, message: string): object;
  /** HTTP status that tells a client of a spent budget. */
  readonly budgetStatus: number;
  /** Updates `usage` by one event of a stream, or by a whole answer; false when it says nothing about it. */
  readUsage(event: Record<string, unknown>, usage: ModelUsage): boolean;
  /** Whether the event ends a stream as it should. */
  isFinal(event: Record<string, unknown>): boolean;
}
