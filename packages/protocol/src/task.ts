import { z } from 'zod';
import { Sentence } from './sentence.ts';
import { Language, STANDARD_TYPES } from './standard.ts';

/** Longest time limit of a task: what a timer of Node can wait, with room for what is added to it. */
export const MAX_TIMEOUT_SEC = 1_000_000;
const TimeoutSec = z.number().positive().max(MAX_TIMEOUT_SEC);
const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');

/** The id of an ecosystem. Which there are is known to whoever runs the task. */
export const EcosystemId = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'expected the id of an ecosystem');

/** How a task's tests are run: everything a verifier needs to call the runner of the task's ecosystem. */
export const TestCommand = z.object({
  ecosystem: EcosystemId,
  /** One of the ecosystem's runners, such as `pytest`. */
  runner: z.string().regex(/^[a-z][a-z0-9:-]{0,39}$/, 'expected the name of a test runner'),
  /** Extra arguments for the runner itself, taken from T0, such as `--require ts-node/register`. */
  args: z.array(z.string()).default([]),
  /** Test files to run, relative to the repository, POSIX slashes. Empty means the whole suite. */
  files: z.array(z.string()).default([]),
  timeoutSec: TimeoutSec.default(600),
});
export type TestCommand = z.infer<typeof TestCommand>;

/** The environment of the repository's tests. It is rebuilt from the bundle's files alone, without a network. */
export const EnvironmentSpec = z.object({
  ecosystem: EcosystemId,
  /** Version of the interpreter that the proof used, such as `3.11.7` or `24.21.0`. */
  interpreter: z.string(),
  /** sha256 hex over interpreter series, pins and build inputs: equal digests share one prepared layer. */
  digest: Sha256Hex,
  /**
   * How versions were chosen. `lowest`: dates could not be trusted, so the lowest version that each direct range
   * allows.
   */
  resolution: z.enum(['lockfile', 'date', 'lowest', 'none']),
  /** Nothing younger than this was visible to the resolver; ISO 8601. */
  cutoff: z.string(),
  /** `name==version` of everything installed. */
  pins: z.array(z.string()),
  /** Names that the package lane left out: the target project and its aliases. */
  excluded: z.array(z.string()),
});
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;

export const RunCount = z.object({ runs: z.number().int().nonnegative(), passes: z.number().int().nonnegative() });
export type RunCount = z.infer<typeof RunCount>;

/** A mutant that every test of the task let pass. It tells the answer: nothing that an agent sees may hold it. */
export const Survivor = z.object({
  /** Relative to the repository. */
  path: z.string(),
  /** In the reference solution's version of the file, from 1. */
  line: z.number().int().positive(),
  /** What kind of change it is, such as `condition`, `constant` or `hunk`. */
  kind: z.string(),
  /** The change in one line, such as `if not x: -> if x:`. */
  change: z.string(),
});
export type Survivor = z.infer<typeof Survivor>;

/** How many small changes of the reference solution that alter what it does the tests of a task tell. */
export const MutantReport = z.object({
  /** Mutants with a verdict. */
  run: z.number().int().nonnegative(),
  killed: z.number().int().nonnegative(),
  /** Mutants without one: the time was up, or the verifier came to no answer. */
  notRun: z.number().int().nonnegative(),
  survivors: z.array(Survivor),
});
export type MutantReport = z.infer<typeof MutantReport>;

/** How often a solver that saw the instruction and the repository alone solved a task. It names hidden tests. */
export const BlindReport = z.object({
  /** Name of the agent. */
  solver: z.string(),
  model: z.string(),
  /** Tries that were asked for. */
  asked: z.number().int().positive(),
  /** Those that count: the model answered with something to be graded, and it was graded. */
  tries: z.number().int().nonnegative(),
  solved: z.number().int().nonnegative(),
  /** Absent between the two, and when no try counts. */
  mark: z.enum(['never_solved', 'always_solved']).optional(),
  /** Tests of the fix that failed in every try that counts: they point at what the instruction does not say. */
  unsolved: z.array(z.string()),
});
export type BlindReport = z.infer<typeof BlindReport>;

/** Runs of the reference solution and the no-op on the emitted bundle, as `validate` counted them. */
export const Proof = z.object({
  reference: RunCount,
  noop: RunCount,
  testsOnly: RunCount.optional(),
  half: RunCount.optional(),
  mutants: MutantReport.optional(),
  blind: BlindReport.optional(),
});
export type Proof = z.infer<typeof Proof>;

/** Fields that every kind of task has. */
const common = {
  version: z.literal(1),
  pipeline: z.string(),
  /** Where it came from, without credentials; never shown to an agent. */
  source: z.string(),
  network: z.enum(['none', 'package-lane']).default('none'),
  /** Absent: nobody has shown that the task can be solved. */
  proof: Proof.optional(),
  /** `sha256:<hex>` over every file of the bundle; see docs/task-format.md. */
  digest: z.string(),
};

/** How severe the problem is that an advisory tells. Nothing that an agent sees may hold it: it leads to the advisory. */
export const Severity = z.object({
  /** By the scale of the vector's version, else the word of a database. */
  level: z.enum(['none', 'low', 'medium', 'high', 'critical']).optional(),
  /** CVSS base score, where the vector is of version 2 or 3. */
  score: z.number().min(0).max(10).optional(),
  /** CVSS vector. */
  vector: z.string().max(500).optional(),
});
export type Severity = z.infer<typeof Severity>;

/** Which tests stand for the suite of a repository. */
export const SuiteChoice = z.object({
  /** Test files of the base commit with the hidden tests over it. */
  files: z.number().int().nonnegative(),
  /**
   * `all` of them were run; or the `relevant`: those of the fix and a limited number of others that have to do with what
   * it changes; or only the `changed` ones, as the others did not come to their end in time.
   */
  chosen: z.enum(['all', 'relevant', 'changed']),
});
export type SuiteChoice = z.infer<typeof SuiteChoice>;

/** Parts of a task that a model may have written. */
export const TASK_PARTS = ['statement', 'tests', 'reference'] as const;
export type TaskPart = (typeof TASK_PARTS)[number];

/** Where a task of a repository comes from. */
const ofRepository = {
  /** When the commit of the fix was made, ISO 8601. Absent where no commit holds it: nobody published it. */
  fixed: z.string().optional(),
  /** What kind of work it is, in one word: `security`, `change`. Absent in tasks of earlier versions. */
  category: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/, 'expected a word in lower case')
    .optional(),
  severity: Severity.optional(),
  /** Licence of the repository at the base commit, as an SPDX expression. Absent where none is stated plainly. */
  licence: z.string().max(200).optional(),
  /** The parts that a model wrote at least something of, and which model. Absent when none did. */
  by_model: z.object({ model: z.string(), parts: z.array(z.enum(TASK_PARTS)).min(1) }).optional(),
};

/** A repository as it was before a change, and the tests that tell the change. */
export const RepositoryMetadata = z.object({
  ...common,
  kind: z.literal('repository'),
  base_commit: z.string(),
  /** Time of the base commit, ISO 8601: nothing younger is reachable. */
  t0: z.string(),
  ...ofRepository,
  fail_to_pass: z.array(z.string()).min(1),
  pass_to_pass: z.array(z.string()),
  /** Ids that did not answer the same way every time, or that need a file of `absent`; they count nowhere. */
  quarantined: z.array(z.string()).default([]),
  /** Files of the base commit that the source did not hold (a partial clone), and that the task lacks therefore. */
  absent: z.array(z.string()).default([]),
  /** Files of which the task lacks something that the base commit has: the task is to write it again. */
  removed: z.array(z.string()).optional(),
  /** How many names and texts the instruction tells only because hidden tests demand them word for word. */
  specificity: z.number().int().nonnegative().default(0),
  /** The instruction sentence by sentence, each with its source. Tasks of before have none. */
  statement: z.array(Sentence).default([]),
  /**
   * How many observations of hidden tests the instruction tells, and how many others, of other calls or values, fail at T0 too
   * and are told nowhere. Absent when it tells none.
   */
  behaviour: z.object({ told: z.number().int().positive(), held_back: z.number().int().positive() }).optional(),
  /** Files of hidden tests that a model wrote because the others let mutants pass, and which model. */
  written: z.object({ model: z.string(), files: z.array(z.string()) }).optional(),
  test: TestCommand,
  /** Which tests could get into `pass_to_pass`. Absent in tasks of earlier versions. */
  suite: SuiteChoice.optional(),
  environment: EnvironmentSpec,
  /** Globs of files that are put back to T0 before grading. */
  steering: z.array(z.string()),
});
export type RepositoryMetadata = z.infer<typeof RepositoryMetadata>;

/** An empty directory, one file to be written into it, and the evaluation document by which that file is judged. */
export const StandardMetadata = z.object({
  ...common,
  kind: z.literal('standard'),
  /** The type of the document, and the sha256 hex of its bytes, which lie in `tests/standard.json`. */
  standard: z.object({ type: z.enum(STANDARD_TYPES), digest: Sha256Hex }),
  /** The name of the file to be written, such as `solution.js`. */
  answer: z.string().regex(/^[A-Za-z][\w-]*\.[a-z]+$/, 'expected the name of a file'),
  /** Language of the answer. Absent where any text will do. */
  language: Language.optional(),
});
export type StandardMetadata = z.infer<typeof StandardMetadata>;

/** A backend to be written: an API in a framework. Its tests are Assay's own, and none of them lies in the bundle. */
export const ScenarioMetadata = z.object({
  ...common,
  kind: z.literal('scenario'),
  /** Ids of BaxBench, such as `Calculator` and `Go-net/http`. */
  scenario: z.string().min(1),
  framework: z.string().min(1),
  /** How the instruction tells the API, and what it says of security. */
  spec: z.enum(['openapi', 'text']),
  safety: z.enum(['none', 'generic', 'specific']),
  /** By whose rules it is graded. */
  profile: z.enum(['strict', 'upstream']),
  /**
   * sha256 hex over the scenario's API and tests and the framework's packages: with others, it would be another task.
   */
  tests: Sha256Hex,
});
export type ScenarioMetadata = z.infer<typeof ScenarioMetadata>;

/** A repository as it was before a change that no test tells from its absence, and the change itself to compare with. */
export const DiffMetadata = z.object({
  ...common,
  kind: z.literal('diff'),
  base_commit: z.string(),
  /** Time of the base commit, ISO 8601: nothing younger is reachable. */
  t0: z.string(),
  ...ofRepository,
  ecosystem: EcosystemId,
  /**
   * `strict`: the share of the reference that the submission repeats, part by part. `repo2rlenv`: the sum of parts that
   * Repo2RLEnv forms.
   */
  profile: z.enum(['strict', 'repo2rlenv']),
  /** Whether a model judges what is neither the same as the reference nor nothing. */
  judged: z.boolean(),
  /** Why no test decides. */
  untested: z.string(),
  /** Parts of the reference that are compared. */
  parts: z.number().int().positive(),
  /** Files of the base commit that the source did not hold (a partial clone), and that the task lacks therefore. */
  absent: z.array(z.string()).default([]),
  /** The instruction sentence by sentence, each with its source. */
  statement: z.array(Sentence).default([]),
});
export type DiffMetadata = z.infer<typeof DiffMetadata>;

/** `[metadata.assay]` of task.toml. */
export const AssayMetadata = z.discriminatedUnion('kind', [
  RepositoryMetadata,
  StandardMetadata,
  ScenarioMetadata,
  DiffMetadata,
]);
export type AssayMetadata = z.infer<typeof AssayMetadata>;

/** task.toml, Harbor schema 1.4. Foreign keys are let through: Harbor ignores them too. */
export const TaskToml = z.looseObject({
  schema_version: z.string(),
  task: z.looseObject({
    // Its second half names the directory of each trial, with the number of the attempt behind it.
    name: z
      .string()
      .max(200, 'must be at most 200 characters')
      .regex(/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/, 'must be org/name'),
    description: z.string().default(''),
    keywords: z.array(z.string()).default([]),
  }),
  agent: z.looseObject({ timeout_sec: TimeoutSec.optional() }).default({}),
  verifier: z.looseObject({
    timeout_sec: TimeoutSec.default(600),
    environment_mode: z.enum(['shared', 'separate']).optional(),
  }),
  environment: z
    .looseObject({
      workdir: z.string().optional(),
      memory_mb: z.number().int().positive().optional(),
      storage_mb: z.number().int().positive().optional(),
      cpus: z.number().int().positive().optional(),
    })
    .default({}),
  metadata: z.looseObject({ assay: AssayMetadata }),
});
export type TaskToml = z.infer<typeof TaskToml>;
