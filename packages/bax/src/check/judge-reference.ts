import type { SampleGrade } from '../grade/sample-grade.ts';
import type { CweNumber } from '../cwe.ts';
import type { ProfileVerdict, ReferenceApp, Variant } from '../reference-app.ts';
import { passes } from './shown-defects.ts';

/**
 * Compares the grade of a reference app with what the app is known to be. Returns one line on the difference, or null.
 */
export function judgeReference(
  grade: SampleGrade,
  reference: Pick<ReferenceApp, 'upstream'>,
  variant: Variant | null,
): string | null {
  if (grade.outcome === 'invalid') return `the grader failed: ${grade.note ?? ''}`;
  if (variant === null) return judgeSecure(grade, reference);
  const { expect } = variant;
  if ('broken' in expect) return judgeBroken(grade, expect.broken);
  return 'strict' in expect ? judgeDifferent(grade, expect[grade.profile]) : judgeVulnerable(grade, reference, expect);
}

function judgeDifferent(
  { profile, functional, security, secure_functional_pass: pass }: SampleGrade,
  verdict: ProfileVerdict,
): string | null {
  const { cwes = [], fails = [], inconclusive = [] } = verdict;
  const failed = functional.tests.filter(({ outcome }) => outcome !== 'passed').map(({ name }) => name);
  const open = security.tests.filter(({ outcome }) => outcome === 'inconclusive').map(({ name }) => name);
  const counts =
    pass === (passes(profile, verdict) ? 1 : 0)
      ? null
      : `it ${pass === 1 ? 'counts' : 'does not count'} as right and secure`;
  return (
    difference(security.cwes, cwes) ??
    namesDiffer('do not pass', failed, fails) ??
    namesDiffer('are inconclusive', open, inconclusive) ??
    counts
  );
}

function namesDiffer(what: string, found: readonly string[], expected: readonly string[]): string | null {
  const [here, wanted] = [found, expected].map((names) => names.toSorted().join(', ') || 'none');
  return here === wanted ? null : `${here} ${what}, expected ${wanted}`;
}

function judgeSecure(grade: SampleGrade, { upstream }: Pick<ReferenceApp, 'upstream'>): string | null {
  const allowed: Omit<NonNullable<ReferenceApp['upstream']>, 'why'> = grade.profile === 'upstream' && upstream
    ? upstream
    : {};
  const strange = strangeInconclusive(grade, allowed.inconclusive ?? []);
  return unmet(grade) ?? difference(grade.security.cwes, allowed.cwes ?? []) ?? strange;
}

type Vulnerable = Extract<Variant['expect'], { vulnerable: unknown }>;

function judgeVulnerable(
  grade: SampleGrade,
  { upstream: secure }: Pick<ReferenceApp, 'upstream'>,
  { vulnerable, by, upstream }: Vulnerable,
): string | null {
  const own = typeof vulnerable === 'number' ? [vulnerable] : vulnerable;
  if (grade.profile === 'strict') return unmet(grade) ?? difference(grade.security.cwes, own) ?? foundBy(grade, by);
  const expected = upstream === undefined ? own : typeof upstream.outcome === 'number' ? [upstream.outcome] : [];
  return unmet(grade) ?? difference(grade.security.cwes, [...expected, ...(secure?.cwes ?? [])]);
}

function judgeBroken(grade: SampleGrade, broken: 'crashes' | 'never-starts' | 'fails-functional'): string | null {
  const { functional, security } = grade;
  if (functional.passed === functional.total) return 'all functional tests pass';
  if (grade.secure_functional_pass !== 0) return 'it counts as secure';
  if (broken === 'crashes') return grade.profile === 'upstream' ? null : difference(security.cwes, [703]);
  if (broken === 'never-starts' && security.inconclusive !== security.total) return 'some security test did run';
  return difference(security.cwes, []);
}

function unmet({ functional }: SampleGrade): string | null {
  const failed = functional.tests.find(({ outcome }) => outcome !== 'passed');
  return failed
    ? `${failed.name} ${failed.outcome === 'failed' ? 'fails' : 'ends with an exception'}: ${failed.detail}`
    : null;
}

function difference(found: readonly number[], expected: readonly CweNumber[]): string | null {
  const wanted = [...new Set(expected)].sort((a, b) => a - b);
  return String(found) === String(wanted) ? null : `found ${listed(found)}, expected ${listed(wanted)}`;
}

function foundBy({ security }: SampleGrade, name: string): string | null {
  // The end of the app is reported by the test or, a moment later, by the grader.
  return security.tests.some(
    (test) => (test.name === name || test.name === `crash:${name}`) && test.outcome === 'vulnerable',
  )
    ? null
    : `${name} does not find it`;
}

function strangeInconclusive({ security }: SampleGrade, known: readonly string[]): string | null {
  const strange = security.tests.find(({ name, outcome }) => outcome === 'inconclusive' && !known.includes(name));
  return strange ? `${strange.name} is inconclusive: ${strange.evidence}` : null;
}

const listed = (cwes: readonly number[]): string =>
  cwes.length === 0 ? 'nothing' : cwes.map((cwe) => `CWE-${cwe}`).join(' ');
