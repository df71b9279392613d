import { AssayError, type SplitPlan, type SplitSite, type SplitTest, type TestCommand } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { testFiles, type SplitOracle } from '../../bundle/split-oracle.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { Evaluation, Guesses, Rewritten, SourceText, StrippedFunction } from '../../ecosystems/split-facet.ts';
import type { ExpectedTests } from '../score-results.ts';
import { runAsWritten, type AsWrittenRequest } from './as-written.ts';
import { Calibration } from './calibration.ts';
import { bakeControl, type Control } from './control.ts';
import { runsStripped } from './classify-split.ts';
import { Evaluator } from './evaluator.ts';
import { guess, rewrite, type OracleBox } from './run-tool.ts';
import { fixFiles, textsAtT0, textsOf } from './source-texts.ts';
import { Placement, showsMore } from './placement.ts';
import { ratePlan } from './rate-plan.ts';
import { observe, outsideResult, type Observed } from './verify-split.ts';

export interface BakeRequest extends AsWrittenRequest {
  expected: ExpectedTests;
  /** Sites whose exceptions are to be compared by their class alone. */
  relaxed?: readonly number[];
  progress?: (text: string) => void;
}

/** The oracle, or why there is none. */
export type Baked = { split: SplitOracle } | { split: null; why: string };

/** More rounds than any suite has needed; calibrating gets worse in each, so it ends without this too. */
const MAX_ROUNDS = 12;
const NOTHING: ChangeSet = { files: [], deleted: [] };

/**
 * Takes the hidden tests of a task apart: rewrites them, runs them with the reference until all that they observe is as
 * expected twice in a row, checks that they fail without it, and tries how far they can be guessed. Whatever cannot be
 * compared outside stays as it was written. The reference is trusted here, and nothing of a submission is there.
 */
export async function bakeSplit(request: BakeRequest): Promise<Baked> {
  try {
    const baker = await Baker.open(request);
    return typeof baker === 'string' ? { split: null, why: baker } : await baker.bake();
  } catch (error) {
    if (AssayError.is(error) && error.code === 'SPLIT_TOOL_FAILED') return { split: null, why: error.message };
    throw error;
  }
}

/** Stripped tests, with the test files that are run of them. */
interface Stripped {
  rewritten: Rewritten;
  files: string[];
  stripped: ChangeSet;
}

interface Taken extends Pick<SplitOracle, 'plan' | 'stripped'> {
  rewritten: Rewritten;
}

class Baker {
  readonly #request: BakeRequest;
  readonly #box: OracleBox;
  readonly #texts: { files: SourceText[]; before: SourceText[]; ids: string[] };
  readonly #calibration = new Calibration();
  readonly #placement: Placement;
  readonly #f2p: ReadonlySet<string>;
  readonly #required: ReadonlySet<string>;

  private constructor(
    request: BakeRequest,
    box: OracleBox,
    texts: { files: SourceText[]; before: SourceText[]; ids: string[] },
  ) {
    this.#request = request;
    this.#box = box;
    this.#texts = texts;
    this.#f2p = new Set(request.expected.failToPass);
    this.#required = new Set([...request.expected.failToPass, ...request.expected.passToPass]);
    const hidden = new Set(request.hidden.files.map(({ path }) => path));
    this.#placement = new Placement(
      {
        ids: texts.ids,
        failToPass: this.#f2p,
        required: this.#required,
        isHidden: (id) => hidden.has(this.#fileOf(id)),
      },
      this.#calibration,
    );
  }

  /** Returns the reason when there is nothing to be split. */
  static async open(request: BakeRequest): Promise<Baker | string> {
    const { command, environment, provider, signal } = request;
    const { split: facet } = ecosystemOf(command.ecosystem);
    if (!facet?.runners.includes(command.runner)) return `tests of ${command.runner} cannot be split`;
    const refusal = facet.refusal(environment);
    if (refusal !== null) return refusal;
    const files = fixFiles(request);
    if (files.length === 0) return 'no hidden file has a test that goes from fail to pass';
    request.progress?.('split: order of tests');
    const paths = files.map(({ path }) => path);
    const { results, signals } = await runAsWritten(request, paths);
    const texts = { files, before: textsAtT0(request.t0Directory, paths), ids: [...results.keys()] };
    const baker = new Baker(request, { facet, environment, provider, signal }, texts);
    for (const seen of signals) baker.#signals.add(seen);
    return baker;
  }

  async bake(): Promise<Baked> {
    const taken = await this.#withRest(await this.#takeApart());
    const control = await this.#control(taken.plan);
    if (taken.plan.files.length === 0 && control === null) return { split: null, why: this.#whyNothing() };
    return {
      split: {
        ...taken,
        plan: { ...taken.plan, control: control?.ids ?? [], signals: [...this.#signals].sort() },
        control: control?.tests ?? null,
      },
    };
  }

  async #takeApart(): Promise<Taken> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const taken = await this.#calibrate();
      if (taken.plan.files.length === 0) return taken;
      if (this.#dropUnsplit(taken)) continue;
      if (await this.#dropCompany(taken)) continue;
      this.#request.progress?.('split: without the reference');
      if (await this.#dropWhatPassesWithoutTheFix(taken)) continue;
      return taken;
    }
    for (const each of this.#placement.wanted(await this.#rewrite()))
      this.#calibration.leaveInside(each, 'what it observes does not come to rest');
    return this.#calibrate();
  }

  /** Runs the reference until two runs in a row change nothing, or nothing is left to be stripped. */
  async #calibrate(): Promise<Taken> {
    for (let quiet = 0; ;) {
      const rewritten = await this.#rewrite();
      const functions = this.#placement.wanted(rewritten);
      const stripped = functions.length === 0 ? NOTHING : this.#strippedChange(rewritten, functions);
      const files = filesOf(functions, this.#request.command);
      const taken = { rewritten, files, stripped };
      if (functions.length === 0) return this.#rated(taken, this.#draft({ ...taken, matched: new Map() }));
      this.#request.progress?.(`split: ${functions.length} tests observed`);
      const end = await this.#observe({ plan: { files }, stripped }, this.#request.reference);
      const matched = this.#calibration.match(functions, end.report, (id) => this.#box.facet.baseOf(id));
      const draft = this.#draft({ ...taken, matched });
      const evaluation = await this.#evaluate(draft, end);
      const run = { plan: draft, ...end, evaluation, required: this.#required };
      const worse = this.#calibration.learn(this.#placement.wanted(rewritten), run);
      quiet = worse || this.#placement.wanted(rewritten).length < functions.length ? 0 : quiet + 1;
      if (quiet === 2) return this.#rated(taken, draft);
    }
  }

  async #control({ tests }: SplitPlan): Promise<Control | null> {
    const inside = new Set(
      tests.flatMap(({ id, stripped }) => (stripped === undefined && this.#f2p.has(id) ? [id] : [])),
    );
    const files = filesOf([{ ids: [...inside] }], this.#request.command);
    const ids = this.#texts.ids.filter((id) => this.#required.has(id) && files.includes(this.#fileOf(id)));
    this.#request.progress?.('split: control');
    return inside.size === 0 ? null : bakeControl(this.#box, { ...this.#request, unsealed: new Set() }, { ids, files });
  }

  /**
   * Adds the test files that are as at T0, where nothing else needs another box, if their tests pass beside the stripped
   * ones.
   */
  async #withRest(taken: Taken): Promise<Taken> {
    const { plan, stripped } = taken;
    const left = plan.tests.filter((test) => test.stripped === undefined && this.#required.has(test.id));
    if (!this.#placement.isTogether || plan.files.length === 0 || left.length === 0) return taken;
    this.#request.progress?.('split: all in one box');
    const rest = testFiles(
      left.map(({ id }) => id),
      this.#request.command,
    );
    const together: SplitPlan = {
      ...plan,
      files: [...plan.files, ...rest].sort(),
      tests: plan.tests.map((test) => (left.includes(test) ? { ...test, stripped: test.id } : test)),
    };
    const end = await this.#observe({ plan: together, stripped }, this.#request.reference);
    const evaluation = await this.#evaluate(together, end);
    const passes = (test: SplitTest): boolean =>
      !this.#required.has(test.id) || outsideResult(test, { ...end, evaluation })?.status === 'passed';
    return together.tests.every(passes) ? { ...taken, plan: together } : taken;
  }

  #fileOf = (id: string): string => ecosystemOf(this.#request.command.ecosystem).tests.splitId(id).file;

  async #rewrite(): Promise<Rewritten> {
    const wanted = this.#texts.ids.filter((id) => this.#required.has(id) && !this.#placement.isInside(id));
    const rewritten = await this.#rewriteFor(wanted);
    this.#problems = new Map(rewritten.problems.map(({ file, detail }) => [file, detail]));
    return rewritten;
  }

  #rewriteFor(wanted: string[]): Promise<Rewritten> {
    return rewrite(this.#box, {
      runner: this.#request.command.runner,
      ...this.#texts,
      wanted,
      native: Object.fromEntries(this.#calibration.native),
      relaxed: this.#request.relaxed,
    });
  }

  /** What runs of the reference and of T0 did that tests seldom need. */
  readonly #signals = new Set<string>();
  /** What is wrong with files that cannot be read as sources. */
  #problems = new Map<string, string>();
  async #observe(
    split: { plan: Pick<SplitPlan, 'files'>; stripped: ChangeSet },
    submission: ChangeSet,
  ): Promise<Observed> {
    const end = await observe({ ...this.#request, unsealed: new Set(), split }, submission);
    for (const signal of end.report.signals) this.#signals.add(signal);
    return end;
  }

  async #evaluate(plan: SplitPlan, { observed }: Observed): Promise<Evaluation> {
    const evaluator = await Evaluator.open(this.#box, plan);
    try {
      return await evaluator.evaluate(observed ?? '');
    } finally {
      await evaluator.dispose();
    }
  }

  /** The hidden part with stripped texts, without the test files of which nothing is stripped. */
  #strippedChange(rewritten: Rewritten, functions: readonly StrippedFunction[]): ChangeSet {
    const { tests } = ecosystemOf(this.#request.command.ecosystem);
    const texts = new Map(rewritten.files.map(({ path, text }) => [path, text]));
    const kept = new Set(filesOf(functions, this.#request.command));
    return {
      files: this.#request.hidden.files
        .filter(({ path }) => !tests.isTestFile(path) || kept.has(path))
        .map((file) => {
          const text = texts.get(file.path);
          return text === undefined ? file : { ...file, content: Buffer.from(text) };
        }),
      deleted: this.#request.hidden.deleted,
    };
  }

  #draft({
    rewritten,
    files,
    stripped,
    matched,
  }: Stripped & { matched: ReadonlyMap<string, Pick<SplitTest, 'stripped' | 'row'>> }): SplitPlan {
    const { command, hidden } = this.#request;
    const quarantined = this.#texts.ids.filter((id) => !this.#required.has(id) && matched.has(id));
    return {
      version: 1,
      evaluator: this.#box.facet.version,
      runner: command.runner,
      hidden: digestChange(hidden),
      stripped: digestChange(stripped),
      files,
      control: [],
      signals: [],
      sites: rewritten.sites.map((site) => ({ ...this.#describe(site), level: 'native' as const })),
      tests: [...this.#required, ...quarantined].map((id) => ({
        id,
        class: 'in-process' as const,
        row: 0,
        sites: {},
        ...matched.get(id),
      })),
      expectations: rewritten.expectations,
    };
  }

  /** The draft of a plan with levels, classes and what each test must observe. */
  async #rated({ rewritten, stripped }: Stripped, draft: SplitPlan): Promise<Taken> {
    const observed: SplitPlan = {
      ...draft,
      tests: draft.tests.map((test) =>
        test.stripped === undefined ? test : { ...test, sites: this.#calibration.required(test.id, rewritten) },
      ),
    };
    const guesses = await this.#guess(observed, rewritten);
    const rated = ratePlan(observed, {
      rewritten,
      guesses,
      calibration: this.#calibration,
      describe: (site) => this.#describe(site),
      whyUnknown: (id) => this.#whyUnknown(id),
    });
    return { plan: { ...observed, ...rated }, stripped, rewritten };
  }

  async #guess(plan: SplitPlan, rewritten: Rewritten, alsoShown: string[] = []): Promise<Guesses> {
    if (plan.files.length === 0) return { sites: {} };
    this.#request.progress?.('split: guesses');
    return guess(this.#box, {
      plan,
      files: rewritten.files.filter(({ path }) => plan.files.includes(path)),
      sources: textsOf(this.#request.reference, () => true),
      alsoShown,
    });
  }

  #describe({ id, file, line, form, messageLine }: Rewritten['sites'][number]): Omit<SplitSite, 'level'> {
    const relaxed = this.#request.relaxed?.includes(id) ? true : undefined;
    return { id, file, line, form: form.slice(0, 100), messageLine, relaxed };
  }

  /** Leaves functions inside of which nothing but guesses is outside, beside assertions inside. */
  #dropUnsplit({ plan, rewritten }: Taken): boolean {
    const kinds = new Map(plan.tests.map((test) => [test.id, test]));
    const unsplit = this.#placement.wanted(rewritten).filter(
      (each) =>
        !this.#placement.isCompany(each) &&
        each.ids.some((id) => {
          const test = kinds.get(id);
          return test?.stripped !== undefined && this.#required.has(id) && !runsStripped(test.class);
        }),
    );
    for (const each of unsplit)
      this.#calibration.leaveInside(
        each,
        kinds.get(each.ids[0] ?? '')?.why ?? 'what is compared outside can be guessed',
      );
    return unsplit.length > 0;
  }

  /** Takes other tests than those of the fix out of the submission's box when they show there what may help to forge. */
  async #dropCompany({ plan, rewritten }: Taken): Promise<boolean> {
    if (!this.#placement.isTogether) return false;
    const companions = new Set(this.#placement.companions(rewritten).flatMap(({ ids }) => ids));
    if (companions.size > 0) {
      const all = this.#placement.wanted(rewritten).flatMap(({ ids }) => ids);
      const without = await this.#rewriteFor(all.filter((id) => this.#required.has(id) && !companions.has(id)));
      if (showsMore(this.#texts, rewritten.files, without.files)) return this.#placement.separate();
    }
    const newcomers = this.#placement.newcomers(rewritten).map(({ base }) => base);
    if (newcomers.length === 0) return false;
    const { sites } = await this.#guess(plan, rewritten, newcomers);
    return plan.sites.some(({ id, level }) => sites[id] && sites[id].level !== level) && this.#placement.separate();
  }

  /** Leaves functions inside that pass, stripped, without the fix, though as they were written they fail. */
  async #dropWhatPassesWithoutTheFix({ plan, stripped, rewritten }: Taken): Promise<boolean> {
    const end = await this.#observe({ plan, stripped }, NOTHING);
    const { tests, problems } = await this.#evaluate(plan, end);
    const passes = (test: SplitTest): boolean =>
      test.stripped !== undefined &&
      problems.length === 0 &&
      end.report.results.get(test.stripped)?.status === 'passed' &&
      tests[test.id] !== undefined &&
      tests[test.id]?.why === undefined;
    const wrong = new Set(plan.tests.filter((test) => this.#f2p.has(test.id) && passes(test)).map(({ id }) => id));
    const functions = this.#placement.wanted(rewritten).filter(({ ids }) => ids.some((id) => wrong.has(id)));
    for (const each of functions) this.#calibration.leaveInside(each, 'stripped, it passes without the fix');
    return functions.length > 0;
  }

  /** Why no function is known of a test. */
  #whyUnknown(id: string): string {
    const file = this.#fileOf(id);
    const problem = this.#problems.get(file);
    if (problem !== undefined) return `${file} cannot be read: ${problem}`.slice(0, 500);
    return this.#texts.files.some(({ path }) => path === file)
      ? 'where it is written was not found: it is made while its file is loaded'
      : 'it passes before and after the fix, in a file without tests of the fix';
  }

  #whyNothing(): string {
    const [first] = this.#f2p;
    const [broken] = this.#problems;
    if (broken && first !== undefined) return this.#whyUnknown(first);
    const reasons = [...this.#calibration.inside].filter(([id]) => this.#f2p.has(id)).map(([, why]) => why);
    return reasons[0] ?? 'no test of the fix can be stripped';
  }
}

const filesOf = (functions: readonly Pick<StrippedFunction, 'ids'>[], command: TestCommand): string[] =>
  testFiles(
    functions.flatMap(({ ids }) => ids),
    command,
  );
