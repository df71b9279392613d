import { z } from 'zod';

/**
 * A value that can be written down. A language has some of the kinds: `none`, `undefined`, `bool`, `int`, `float`, `str`,
 * `bytes` and `regexp` (in `text`); `list`, `tuple`, `set` and `frozenset` (the members in `items`); `dict` and, without a
 * prototype, `bare` (alternately keys and values).
 */
export interface LiteralValue {
  kind: string;
  text?: string;
  items?: LiteralValue[];
}

export const LiteralValue: z.ZodType<LiteralValue> = z.lazy(() =>
  z.object({ kind: z.string(), text: z.string().optional(), items: z.array(LiteralValue).optional() }),
);

/** One call: positional arguments, then those with a name. */
export const RecordedCall = z.object({
  positional: z.array(LiteralValue),
  named: z.array(z.tuple([z.string(), LiteralValue])).default([]),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

/** What a call did. `name` is that of an exception's class. */
export const RecordedResult = z.object({
  does: z.enum(['returns', 'yields', 'raises', 'other']),
  value: LiteralValue.optional(),
  name: z.string().optional(),
});
export type RecordedResult = z.infer<typeof RecordedResult>;

/** A line of the file that recorders write. */
export const RecorderLine = z.union([
  z.object({ seen: RecordedCall }),
  z.object({ call: z.number().int().nonnegative(), result: RecordedResult }),
]);
export type RecorderLine = z.infer<typeof RecorderLine>;

export interface FunctionParameter {
  name: string;
  /** Source text of its type, where there is one. */
  type?: string;
  /** Source text of its default. */
  default?: string;
  isOptional: boolean;
}

/** A public function at the top level of a source, and how to take it out. */
export interface SourceFunction {
  name: string;
  /** How it is written where it is defined, in one line: `slugify(text, delim='_')`. */
  signature: string;
  /** What its documentation says, without marks of comments; empty without one. */
  documentation: string;
  parameters: FunctionParameter[];
  /** Offsets of the part of the source that does the work. */
  body: { start: number; end: number };
  /** What stands there instead while it is missing: an exception for whoever calls it. */
  stub: string;
  /** Classes of exceptions that it says to throw, but for those that the stub's is one of. */
  raises: string[];
  /** Lines with code in its body. */
  lines: number;
  /** Places where it does one thing or another. */
  branches: number;
  /** What may make it answer otherwise another time, or do something beside answering; null when nothing is seen. */
  impure: string | null;
  /** How an importer gets hold of it; `isModule`: by an export that the language itself knows. */
  binding: { kind: 'named' | 'default' | 'member'; isModule: boolean };
}

export interface TestedCall {
  call: RecordedCall;
  result: RecordedResult;
}

/** Where a new test file stands, and how tests are written there. */
export interface TestPlace {
  runner: string;
  path: string;
  /** A test file of T0 whose way of importing it follows. */
  example: { path: string; text: string } | null;
}

/** Path of the file in the workspace to which recorders write. */
export const RECORDED = '/tmp/assay-recorded.jsonl';

/** How to take functions of the language out of a source, to call them, and to write tests of what they answer. */
export interface FunctionFacet {
  /** Runners in whose tests functions can be called. */
  readonly runners: readonly string[];
  /**
   * Lists the public functions of a source. Empty for one that cannot be read. Never fails. `unlisted`: also those that its
   * list of public names lacks.
   */
  list(path: string, text: string, unlisted?: boolean): SourceFunction[];
  /** How one begins that is added to a source; `isModule` as of the others there. */
  newFunction(isModule: boolean): string;
  /** What the language does with an exception, and the one that a program gets from a stub. */
  readonly raiseWord: 'raise' | 'throw';
  readonly stubError: string;
  /** A file that recorders load, which goes into the workspace beside the sources. */
  readonly helper: { path: string; text: string };
  /** The source with a function that notes the arguments of its calls. */
  noting(text: string, found: SourceFunction): string;
  /** A test file that makes the calls and notes what they do. */
  recorder(place: TestPlace, target: { path: string; found: SourceFunction }, calls: readonly RecordedCall[]): string;
  /** A test file with one test for each call, which compares with what was recorded. Titles say nothing. */
  tests(place: TestPlace, target: { path: string; found: SourceFunction }, calls: readonly TestedCall[]): string;
  render(value: LiteralValue): string;
  /** A call as an instruction shows it. */
  renderCall(found: SourceFunction, call: RecordedCall): string;
  /** Bodies that answer without any work: the first argument, nothing, and a constant. In place of `body`. */
  trivialBodies(found: SourceFunction, constant: LiteralValue | null): { title: string; body: string }[];
  /** Values of a type as it is written in a signature, or like a default; empty when it is not known. */
  valuesOf(parameter: FunctionParameter): LiteralValue[];
  /** A value of plain JSON, as a model proposes it. */
  fromJson(value: unknown): LiteralValue;
}
