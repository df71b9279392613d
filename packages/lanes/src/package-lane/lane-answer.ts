import type { IncomingHttpHeaders } from 'node:http';

export interface LaneRequest {
  method: string;
  /** Decoded components of the path, without an empty one for a trailing slash. */
  segments: string[];
  headers: IncomingHttpHeaders;
}

/** Answer of a lane: text or bytes from memory, or a file of the artefact cache. `note` goes into the record only. */
export interface LaneAnswer {
  status: number;
  type: string;
  body: string | Buffer | { path: string; size: number };
  note?: string;
}

/** The part of a lane that knows one kind of index. Rejects with `LANE_FAILED` when the upstream fails. */
export interface LaneIndex {
  answer(request: LaneRequest): Promise<LaneAnswer>;
}

export const textAnswer = (status: number, text: string, note?: string): LaneAnswer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${text}\n`,
  note,
});

export const jsonAnswer = (value: unknown): LaneAnswer => ({
  status: 200,
  type: 'application/json',
  body: JSON.stringify(value),
});

/**
 * The same words for what the upstream never had, what is too young and what is left out, so that they cannot be told
 * apart.
 */
const absence = (what: string): string =>
  `${what} does not exist here: this index shows packages as of a date, without some`;

export const absent = (what: string, note: string): LaneAnswer => textAnswer(404, absence(what), note);

/** Like `absent`, in the form that npm shows to its user. */
export const absentJson = (what: string, note: string): LaneAnswer => ({
  ...jsonAnswer({ error: absence(what) }),
  status: 404,
  note,
});

/** Answer to a path that no lane knows. */
export const unknownPath = (): LaneAnswer =>
  textAnswer(404, 'this lane serves packages only, under the paths of its index', 'unknown path');
