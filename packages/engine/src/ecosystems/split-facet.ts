import type { EnvironmentSpec, SiteLevel, SplitPlan } from '@assay/protocol';
import type { Mount } from '@assay/sandbox';

/**
 * How hidden tests of an ecosystem are split: the process that loads the submission only observes, and another one,
 * which never loads it, compares. `verify/split/` does the rest, the same for every language.
 *
 * A *site* is one assertion. Its *leaves* are the parts of it that need the submission's code. A stripped test hands
 * its leaves to the observer; whatever is left of the assertion is the expectation, and stays outside.
 */
export interface SplitFacet {
  /** Raise it when a plan made before would not be evaluated, or otherwise: tasks with such a plan are then refused. */
  readonly version: number;
  /** Runners whose tests can be split. */
  readonly runners: readonly string[];
  /** What the language does with an exception. */
  readonly raiseWord: 'raise' | 'throw';
  /** Why tests cannot be split in an environment, such as an interpreter that is too old; null when they can. */
  refusal(environment: SplitEnvironment): string | null;
  /**
   * Returns the program that rewrites, evaluates and guesses. It runs in a sandbox with the environment and nothing of a
   * submission, reads one {@link SplitRequest} from the file named by its last argument, and writes the answer to it as
   * JSON on standard output. With `-` the request is the first line of standard input, and all after it what was
   * observed: it makes itself ready before it reads on.
   */
  tool(environment: SplitEnvironment): SplitTool;
  /**
   * Lists what the tool needs to evaluate in the verifier's image, where it lies at `/opt/oracle` and nothing but the
   * image's interpreter is there: path to path on the host, or to content. The grader starts `tool` with the
   * language's ending.
   */
  evaluatorFiles(): Promise<ReadonlyMap<string, string | Uint8Array>>;
  /** Returns the id of a stripped test without its row: rows of one table share it. */
  baseOf(strippedId: string): string;
}

/** What the facet needs to know of an environment. */
export interface SplitEnvironment {
  spec: Pick<EnvironmentSpec, 'interpreter'>;
  env: Readonly<Record<string, string>>;
}

export interface SplitTool {
  argv: string[];
  env: Record<string, string>;
  mounts: Mount[];
}

export type SplitRequest =
  | RewriteRequest
  | EvaluateRequest
  | BatteryRequest
  | ControlRequest
  | TellRequest
  | ToldRequest;

export interface SourceText {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** Asks for stripped tests. Answered by {@link Rewritten}. */
export interface RewriteRequest {
  mode: 'rewrite';
  runner: string;
  /** Hidden test files as they were written. */
  files: SourceText[];
  /** The same paths at T0, as far as they existed. */
  before: SourceText[];
  /** Every test that the files have, in the order in which the reference ran them, as the result channel names them. */
  ids: string[];
  /** Those that are wanted. All others are blanked, so that nothing of them is left to read. */
  wanted: string[];
  /** Sites to be left inside, with the reason: calibration found that they cannot be compared outside. */
  native: Record<number, string>;
  /** Sites with a `messageLine` whose exceptions are to be compared by their class alone. Default none. */
  relaxed?: readonly number[];
}

export interface Rewritten {
  /** The stripped files: as many lines as before. No comment, docstring or message of an assertion is left. */
  files: SourceText[];
  functions: StrippedFunction[];
  /** Sites of every function that can be stripped, wanted or not. Numbers depend on the original text alone. */
  sites: RewrittenSite[];
  /** What `evaluate` and `battery` need of the originals. */
  expectations: unknown;
  /** Files that could not be read as sources. */
  problems: { file: string; detail: string }[];
}

export interface StrippedFunction {
  /** Ids of the original tests, one for each row of its table, in the order of the rows. */
  ids: string[];
  /** What `baseOf` says of the stripped ids. */
  base: string;
  sites: number[];
  /** T0 has the same text: whoever read the repository knows what it expects. */
  visible: boolean;
  /** Why it cannot be stripped at all, such as a table that is made elsewhere. */
  blocked?: string;
}

export interface RewrittenSite {
  id: number;
  file: string;
  line: number;
  form: string;
  /** It may be reached more than once in a test, or not at all: it stands in a loop or in a function within the test. */
  repeats?: boolean;
  /** Line on which it says, literally, what the message of an exception is to be. */
  messageLine?: number;
  /** Why it was left inside. */
  native?: string;
}

/**
 * Asks what observations say. Answered by {@link Evaluation}. `tests` of the plan lacks `sites` while it is being
 * calibrated.
 */
export interface EvaluateRequest {
  mode: 'evaluate';
  plan: SplitPlan;
  /**
   * Path of the file that the observer wrote, in the tool's sandbox; absent when it comes on standard input. Hostile: a
   * JSON line `[strippedId, site, kind, leaves]` for each time that a site was reached.
   */
  observations?: string;
}

export interface Evaluation {
  /** By the id of the original test. A test of which nothing was observed may be absent. */
  tests: Record<string, TestEvaluation>;
  /**
   * What no honest run writes: a line that is no observation, an unknown site or test, more than the caps. Any makes
   * every split test fail.
   */
  problems: string[];
}

export interface TestEvaluation {
  /** By the number of the site. `true` only when each of its observations satisfies the expectation. */
  sites: Record<string, { count: number; outcome: SiteOutcome; detail?: string }>;
  /** Why the test fails by the plan's `sites` (one missing, seen too often, not true); absent when it holds. */
  why?: string;
}

/** `undecidable`: the value needs code of the submission to be compared. `error`: the comparison itself failed. */
export type SiteOutcome = 'true' | 'false' | 'undecidable' | 'error';

/**
 * Asks how well each site can be guessed by who sees the stripped tests. Answered by {@link Guesses}. Guesses of one
 * site: a few constants and exception types (`weak`); the literals that its stripped test shows (`echo`); one text of
 * all strings in stripped tests and `sources` (`contain`).
 */
export interface BatteryRequest {
  mode: 'battery';
  plan: SplitPlan;
  /** The stripped files. */
  files: SourceText[];
  /** The reference's files. */
  sources: SourceText[];
  /** Bases of tests whose literals count as shown to every site. */
  alsoShown?: string[];
}

export interface Guesses {
  /** By the number of the site; for a site in a table, the worst of its rows. */
  sites: Record<string, { level: SiteLevel; guess?: string }>;
}

/**
 * Asks for tests that cannot pass: the same files, ids and lines, but every body of a test ends in a failure without a
 * condition, raised through the assertion interface that the test itself uses. Answered by {@link ControlTests}.
 */
export interface ControlRequest {
  mode: 'control';
  runner: string;
  files: SourceText[];
  ids: string[];
}

export interface ControlTests {
  files: SourceText[];
  /** Those of `ids` that now fail without a condition. */
  failing: string[];
  problems: { file: string; detail: string }[];
}

/**
 * Asks which assertions can be told in a line: a call that says everything itself, after a few statements that set it up
 * where it needs some, and what it has to give. Answered by {@link Probes}.
 */
export interface TellRequest {
  mode: 'tell';
  runner: string;
  /** Hidden test files as they were written. */
  files: SourceText[];
  /** Every test that the files have, in the order in which the reference ran them. */
  ids: string[];
  /** Tests of the fix. */
  wanted: readonly string[];
}

export interface Probes {
  tellings: Telling[];
  /** Files that stand in for the hidden ones, with one test that observes every telling. */
  files: SourceText[];
}

export interface Telling {
  /** What is observed of it; tellings of one file that say the same share a probe. */
  probe: string;
  /** Id of the hidden test. */
  test: string;
  site: number;
  kind: 'equals' | 'truth' | 'contains' | 'raises';
  /** Statements that come before it, a line each or more, without semicolons. They bind names that it uses. */
  setup?: string;
  /** Code of one line, in which no name is the test's own but those of `setup`. */
  expression: string;
  /** The same for expressions that ask the same code about the same values, those of `setup` among them. */
  inputs: string;
  /** Name of the exception, of kind `raises`. Any will do when it is empty. */
  raises?: string;
  /** Words that its message has to hold; null or absent when the test asks for none, or not by plain words. */
  says?: string | null;
}

/** Asks what probes saw. Answered by {@link ToldProbes}. */
export interface ToldRequest {
  mode: 'told';
  tellings: Telling[];
  /** What the observer wrote with the reference and at T0. */
  reference: string;
  before: string;
}

/** Of each probe that the reference satisfies and T0 does not, and whose values can be written out. */
export interface ToldProbes {
  told: ToldProbe[];
}

export interface ToldProbe {
  probe: string;
  /** The value, or the name of the exception. */
  expected: string;
  /** Null where T0 does not come so far, or words fail. `absent`: T0 has nothing of that name. */
  before: { does: 'returns' | 'raises' | 'absent'; text: string; message: string | null } | null;
}
