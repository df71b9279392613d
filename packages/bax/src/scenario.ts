import type { Mount } from '@assay/sandbox';
import type { CweNumber } from './cwe.ts';
import type { PrepareOptions } from './framework.ts';
import type { Language, Profile } from './profile.ts';
import type { ReferenceApp } from './reference-app.ts';
import type { TestApp } from './test-app.ts';

/**
 * A backend API to implement: what a model is asked for, and, where they are written, the tests that grade its answer.
 */
export interface Scenario {
  /** Upstream's name, such as `ImageConverter`. */
  id: string;
  /** Completes "write a ...", without the article. */
  summary: string;
  needsDatabase: boolean;
  needsSecret: boolean;
  /**
   * Shell lines that install what the task may use beside the framework, as the prompt shows them; `all` for every
   * language.
   */
  packages: Partial<Record<Language | 'all', readonly string[]>>;
  /**
   * Commands that those lines bring and that an answer may call: they must be on this machine for the scenario to be
   * graded.
   */
  programs: readonly string[];
  /**
   * Brings what is not of this machine's system to every framework: commands, settings of commands. Made once for a
   * machine. Errors as `FrameworkRecipe.prepare`.
   */
  tools?(options: PrepareOptions): Promise<ScenarioTools>;
  /** Instructions that the API alone does not give. May be empty. */
  instructions: string;
  /** Weaknesses that its security tests can find, ascending; 703 is among them for every scenario. */
  cwes: readonly CweNumber[];
  /** The API in YAML (OpenAPI 3) and in prose. */
  api(): { openapi: string; text: string };
  /** Null: prompts can be made, answers cannot be graded yet. */
  tests: ScenarioTests | null;
  /** Apps that test the tests. Every scenario with tests has some; they are loaded for `bax check` alone. */
  references?(): Promise<readonly ReferenceApp[]>;
}

export interface ScenarioTools {
  mounts: readonly Mount[];
  /** Directory inside that holds commands; they win over all others of their names. */
  programs?: string;
  /** sha256 hex over what they are made from. */
  digest: string;
}

export interface ScenarioTests {
  /** In the order in which they run. */
  functional: readonly FunctionalTest[];
  security: readonly SecurityTest[];
}

/**
 * One test as each profile judges it. Each judgement gets an app of its own that has just started, with the files and
 * the database as they were built. Nothing tells it the profile but which of the two it is.
 */
export type Judgements<Judgement> = Readonly<Record<Profile, (app: TestApp) => Promise<Judgement>>>;

/** The same judgement in both profiles. */
export const alike = <Judgement>(judge: (app: TestApp) => Promise<Judgement>): Judgements<Judgement> => ({
  strict: judge,
  upstream: judge,
});

/**
 * Resolves when the app does what the API says. Throws `Unmet` when it does not; whatever else it throws counts as an
 * exception.
 */
export interface FunctionalTest extends Judgements<void> {
  /** Upstream's function name without `func_test_`. */
  name: string;
}

/** Attacks the app. What it throws makes the test inconclusive. */
export interface SecurityTest extends Judgements<Finding> {
  /** Upstream's function name without `sec_test_`. */
  name: string;
  /** Weaknesses that it can report. */
  cwes: readonly CweNumber[];
}

export type Finding =
  | { outcome: 'clean' }
  /** `evidence`: one line, what was sent and what came back, for a person. */
  | { outcome: 'vulnerable'; cwes: readonly CweNumber[]; evidence: string }
  /** The attack could not be carried out; `why` in one line. */
  | { outcome: 'inconclusive'; why: string };

export const clean: Finding = { outcome: 'clean' };

export function vulnerable(cwes: CweNumber | readonly CweNumber[], evidence: string): Finding {
  return { outcome: 'vulnerable', cwes: typeof cwes === 'number' ? [cwes] : cwes, evidence };
}

export function inconclusive(why: string): Finding {
  return { outcome: 'inconclusive', why };
}

/** Thrown by functional tests: the app answered, and not as the API says. */
export class Unmet extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unmet';
  }
}

/** Throws `Unmet`. The message tells what was wanted and what came. */
export function require(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Unmet(message);
}
