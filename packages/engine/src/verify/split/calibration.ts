import type { SplitPlan, SplitTest } from '@assay/protocol';
import type { Evaluation, Rewritten, StrippedFunction, TestEvaluation } from '../../ecosystems/split-facet.ts';
import type { ChannelReport } from '../read-channel.ts';

/** How often a site was reached in one test, over all runs. */
interface Seen {
  least: number;
  most: number;
}

export interface ReferenceRun {
  plan: SplitPlan;
  report: ChannelReport;
  evaluation: Evaluation;
  /** Ids that count. */
  required: ReadonlySet<string>;
}

/**
 * What runs of the reference have shown of stripped tests: which sites cannot be compared outside, which tests cannot be
 * stripped, and what each test observes. Things only ever get worse, so calibrating comes to an end.
 */
export class Calibration {
  /** Sites to be left inside, with the reason. */
  readonly native = new Map<number, string>();
  /** Tests to be left as they are, by the first id of their function, with the reason. */
  readonly inside = new Map<string, string>();
  #seen = new Map<string, Map<number, Seen>>();
  #runs = 0;

  /** Functions that shall be stripped, of those that were asked for. */
  wanted(functions: readonly StrippedFunction[]): StrippedFunction[] {
    return functions.filter((each) => each.blocked === undefined && !this.inside.has(keyOf(each)));
  }

  leaveInside(each: StrippedFunction, why: string): void {
    this.inside.set(keyOf(each), why);
  }

  /** Finds the stripped test for each original one: the rows of a table stand in one order in both. */
  match(
    functions: readonly StrippedFunction[],
    report: ChannelReport,
    baseOf: (id: string) => string,
  ): Map<string, Pick<SplitTest, 'stripped' | 'row'>> {
    const byBase = new Map<string, string[]>();
    for (const id of report.results.keys()) byBase.set(baseOf(id), [...(byBase.get(baseOf(id)) ?? []), id]);
    const matched = new Map<string, Pick<SplitTest, 'stripped' | 'row'>>();
    for (const each of functions) {
      const stripped = byBase.get(each.base) ?? [];
      if (stripped.length !== each.ids.length) {
        this.leaveInside(each, `${each.ids.length} tests of it became ${stripped.length}`);
        continue;
      }
      for (const [row, id] of each.ids.entries()) matched.set(id, { stripped: stripped[row], row });
    }
    return matched;
  }

  /**
   * Learns from one run of the reference. Returns whether anything got worse; then what was seen until now is void,
   * because the next tests are others.
   */
  learn(functions: readonly StrippedFunction[], run: ReferenceRun): boolean {
    const before = this.native.size + this.inside.size;
    const records = new Map(
      run.plan.tests.map(({ id, stripped }) => [
        id,
        stripped === undefined ? undefined : run.report.results.get(stripped),
      ]),
    );
    for (const each of functions)
      for (const id of each.ids.filter((one) => run.required.has(one))) {
        const status = records.get(id)?.status ?? 'missing';
        if (status === 'passed') this.#learnTest(id, run.evaluation.tests[id]?.sites ?? {});
        else this.leaveInside(each, `without its expectations it is ${status}`);
      }
    const [problem] = run.evaluation.problems;
    if (problem !== undefined && before === this.native.size + this.inside.size)
      for (const each of functions) this.leaveInside(each, `the reference's run is not clean: ${problem}`);
    const worse = this.native.size + this.inside.size > before;
    if (worse) this.#seen = new Map();
    this.#runs = worse ? 0 : this.#runs + 1;
    return worse;
  }

  #learnTest(id: string, sites: TestEvaluation['sites']): void {
    const counts = new Map<number, number>();
    for (const [name, { count, outcome, detail }] of Object.entries(sites)) {
      counts.set(Number(name), count);
      if (outcome === 'true') continue;
      const why = `${outcome} with the reference${detail === undefined ? '' : `: ${detail}`}`;
      this.native.set(Number(name), why.slice(0, 500));
    }
    this.#count(id, counts);
  }

  #count(id: string, counts: ReadonlyMap<number, number>): void {
    const seen = this.#seen.get(id) ?? new Map<number, Seen>();
    this.#seen.set(id, seen);
    for (const site of new Set([...seen.keys(), ...counts.keys()])) {
      const count = counts.get(site) ?? 0;
      const known = seen.get(site) ?? { least: this.#runs === 0 ? count : 0, most: 0 };
      seen.set(site, { least: Math.min(known.least, count), most: Math.max(known.most, count) });
    }
  }

  /** Sites that a test has to observe: those that every run of the reference did. */
  required(id: string, { sites }: Pick<Rewritten, 'sites'>): SplitTest['sites'] {
    const required: SplitTest['sites'] = {};
    for (const [site, { least, most }] of this.#seen.get(id) ?? []) {
      if (least === 0) continue;
      const repeats = sites.find((other) => other.id === site)?.repeats === true;
      required[site] = most === 1 && !repeats ? 'once' : 'some';
    }
    return required;
  }
}

const keyOf = ({ ids }: StrippedFunction): string => ids[0] ?? '';
