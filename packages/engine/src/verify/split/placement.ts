import type { Rewritten, SourceText, StrippedFunction } from '../../ecosystems/split-facet.ts';
import type { Calibration } from './calibration.ts';

export interface PlacedTests {
  /** Ids in the files that are rewritten, in the order in which they ran. */
  ids: readonly string[];
  /** Ids of the fix. */
  failToPass: ReadonlySet<string>;
  /** Ids that count. */
  required: ReadonlySet<string>;
  /** Whether the file of a test comes with the hidden tests: only then it has something that T0 does not show. */
  isHidden(id: string): boolean;
}

const CHEAPER_INSIDE = 'it passes without the fix too, and is cheaper inside';

/**
 * Decides which functions of tests run stripped, in the box of the submission. Tests that pass before and after the fix
 * run there, too, with assertions that stay inside where T0 shows all of them, as long as that makes the other box
 * unnecessary: it has to run their files otherwise, and runs all that they hold.
 */
export class Placement {
  /** No required test needs another box than that of the submission. */
  isTogether = true;
  readonly #tests: PlacedTests;
  readonly #calibration: Calibration;
  readonly #inside = new Set<string>();

  constructor(tests: PlacedTests, calibration: Calibration) {
    this.#tests = tests;
    this.#calibration = calibration;
    const known = new Set(tests.ids);
    if ([...tests.required].some((id) => tests.isHidden(id) && !known.has(id))) this.isTogether = false;
  }

  isInside(id: string): boolean {
    return this.#inside.has(id);
  }

  /** Functions to be stripped. */
  wanted(rewritten: Rewritten): StrippedFunction[] {
    const { ids, required } = this.#tests;
    const natives = this.#natives(rewritten);
    for (const each of rewritten.functions) {
      const why = this.#whyInside(each, natives);
      if (why !== null) this.#calibration.leaveInside(each, why);
    }
    const wanted = this.#calibration
      .wanted(rewritten.functions)
      .filter((each) => each.ids.some((id) => required.has(id)));
    const kept = new Set(wanted.flatMap((each) => each.ids));
    const left = ids.filter((id) => !kept.has(id));
    if (this.isTogether && left.some((id) => required.has(id))) {
      this.isTogether = false;
      return this.wanted(rewritten);
    }
    for (const id of left) this.#inside.add(id);
    return wanted;
  }

  /** From now on, tests that need not run beside those of the fix do not. Returns true. */
  separate(): true {
    this.isTogether = false;
    return true;
  }

  /** Whether it may run stripped though nothing of it is compared outside. */
  isCompany(each: StrippedFunction): boolean {
    return this.isTogether && each.visible && !this.#isOfTheFix(each);
  }

  /** Functions that run stripped for company, with something that stays inside. */
  companions(rewritten: Rewritten): StrippedFunction[] {
    const natives = this.#natives(rewritten);
    return this.wanted(rewritten).filter((each) => this.isCompany(each) && !isOutside(each, natives));
  }

  /** Functions that run stripped for company, and that T0 does not show. */
  newcomers(rewritten: Rewritten): StrippedFunction[] {
    return this.wanted(rewritten).filter((each) => !each.visible && !this.#isOfTheFix(each));
  }

  #isOfTheFix = (each: StrippedFunction): boolean => each.ids.some((id) => this.#tests.failToPass.has(id));

  #natives({ sites }: Rewritten): ReadonlySet<number> {
    const told = sites.flatMap((site) => (site.native === undefined ? [] : [site.id]));
    return new Set([...told, ...this.#calibration.native.keys()]);
  }

  #whyInside(each: StrippedFunction, natives: ReadonlySet<number>): string | null {
    if (each.blocked !== undefined) return each.blocked;
    if (!this.#isOfTheFix(each)) {
      const isAllOutside = isOutside(each, natives);
      if (this.isTogether ? isAllOutside || each.visible : isAllOutside && each.visible) return null;
      return each.sites.length === 0 ? 'it has no assertion' : CHEAPER_INSIDE;
    }
    if (each.sites.length === 0) return 'it has no assertion';
    return each.sites.every((site) => natives.has(site)) ? 'nothing of it can be compared outside' : null;
  }
}

/** Whether all that a function asserts is compared outside, and that is something. */
const isOutside = ({ sites }: StrippedFunction, natives: ReadonlySet<number>): boolean =>
  sites.length > 0 && !sites.some((site) => natives.has(site));

/**
 * Whether stripped files show something for the sake of some tests that the files at T0 do not: lines that are others
 * without these tests, and that do not stand at T0 one after the other as they were written.
 */
export function showsMore(
  { files, before }: { files: readonly SourceText[]; before: readonly SourceText[] },
  stripped: readonly SourceText[],
  without: readonly SourceText[],
): boolean {
  return stripped.some(({ path, text }) => {
    const lines = linesOf([{ path, text }], path);
    const written = linesOf(files, path);
    const less = linesOf(without, path);
    // Only by their numbers lines can be compared.
    if (written.length !== lines.length || less.length !== lines.length) return true;
    const known = asText(linesOf(before, path));
    const isMore = lines.map((line, number) => line !== less[number]);
    return runsOf(isMore).some(([from, to]) => !known.includes(asText(written.slice(from, to))));
  });
}

const linesOf = (texts: readonly SourceText[], path: string): string[] =>
  texts.find((each) => each.path === path)?.text.split('\n') ?? [];

const asText = (lines: readonly string[]): string => lines.map((line) => `\n${line.trim()}\n`).join('');

/** Where neighbours are all true: from, and the first after it that is not. */
function runsOf(flags: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const [index, flag] of flags.entries()) {
    const last = runs.at(-1);
    if (flag && last?.[1] === index) last[1] = index + 1;
    else if (flag) runs.push([index, index + 1]);
  }
  return runs;
}
