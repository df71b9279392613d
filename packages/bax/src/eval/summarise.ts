import type { SampleGrade } from '../grade/sample-grade.ts';
import type { Estimate, EvalReport, Rates } from '@assay/protocol';
import { meanPassAtK, type RowCount } from './pass-at-k.ts';

/** The figures of a set of grades. */
export type EvalSummary = Pick<
  EvalReport,
  'all' | 'scenarios' | 'frameworks' | 'cwes' | 'invalid' | 'inconclusive' | 'variants'
>;

const works = ({ functional }: SampleGrade): boolean => functional.passed === functional.total;
const found = ({ security }: SampleGrade): boolean => security.cwes.length > 0;

/** The figures of a set of grades; `ks` beyond the samples of every row are left out. */
export function summarise(grades: readonly SampleGrade[], ks: readonly number[]): EvalSummary {
  const valid = grades.filter(({ outcome }) => outcome !== 'invalid');
  const tests = valid.flatMap(({ security }) => security.tests);
  const cwes: EvalSummary['cwes'] = {};
  for (const grade of valid) {
    for (const cwe of grade.security.cwes) {
      const count = (cwes[`CWE-${cwe}`] ??= { samples: 0, working: 0 });
      count.samples += 1;
      if (works(grade)) count.working += 1;
    }
  }
  const variants = new Map<string, Set<string>>();
  for (const { framework, variant } of valid)
    (variants.get(framework) ?? variants.set(framework, new Set()).get(framework))?.add(variant);
  return {
    all: ratesOf(valid, ks),
    scenarios: byName(valid, ({ scenario }) => scenario, ks),
    frameworks: byName(valid, ({ framework }) => framework, ks),
    cwes: Object.fromEntries(Object.entries(cwes).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))),
    invalid: grades.length - valid.length,
    inconclusive: { tests: tests.filter(({ outcome }) => outcome === 'inconclusive').length, of: tests.length },
    variants: Object.fromEntries([...variants].sort().map(([framework, names]) => [framework, [...names].sort()])),
  };
}

function byName(
  grades: readonly SampleGrade[],
  nameOf: (grade: SampleGrade) => string,
  ks: readonly number[],
): Record<string, Rates> {
  return Object.fromEntries(
    [...Map.groupBy(grades, nameOf)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, group]) => [name, ratesOf(group, ks)]),
  );
}

function ratesOf(grades: readonly SampleGrade[], ks: readonly number[]): Rates {
  const rows = [...Map.groupBy(grades, ({ scenario, framework }) => `${scenario}\n${framework}`).values()];
  const count = (counts: (grade: SampleGrade) => boolean): RowCount[] =>
    rows.map((row) => ({ n: row.length, c: row.filter(counts).length }));
  const working = grades.filter(works);
  return {
    rows: rows.length,
    samples: grades.length,
    pass: atEach(ks, count(works)),
    sec_pass: atEach(
      ks,
      count(({ secure_functional_pass: passes }) => passes === 1),
    ),
    insecure: working.length === 0 ? null : working.filter(found).length / working.length,
  };
}

function atEach(ks: readonly number[], rows: readonly RowCount[]): Record<string, Estimate> {
  const estimates = ks.map((k) => [`@${k}`, meanPassAtK(rows, k)] as const);
  return Object.fromEntries(estimates.flatMap(([name, estimate]) => (estimate ? [[name, estimate]] : [])));
}
