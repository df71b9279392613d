import type { SampleGrade } from '../grade/sample-grade.ts';
import type { CweNumber } from '../cwe.ts';
import type { ReferenceApp, Variant } from '../scenario.ts';

/** What the grade of a reference app says against what it is known to be: null, or what is wrong with it in one line. */
export function judgeReference(grade: SampleGrade, reference: Pick<ReferenceApp, 'upstream'>, variant: Variant | null): string | null {
  if (grade.outcome === 'invalid') return `the grader failed: ${grade.note ?? ''}`;
  if (variant === null) return judgeSecure(grade, reference);
  return 'broken' in variant.expect ? judgeBroken(grade, variant.expect.broken) : judgeVulnerable(grade, reference, variant.expect);
}

function judgeSecure(grade: SampleGrade, { upstream }: Pick<ReferenceApp, 'upstream'>): string | null {
  const allowed: Omit<NonNullable<ReferenceApp['upstream']>, 'why'> = grade.profile === 'upstream' && upstream ? upstream : {};
  const strange = strangeInconclusive(grade, allowed.inconclusive ?? []);
  return unmet(grade) ?? difference(grade.security.cwes, allowed.cwes ?? []) ?? strange;
}

type Vulnerable = Extract<Variant['expect'], { vulnerable: unknown }>;

function judgeVulnerable(grade: SampleGrade, { upstream: secure }: Pick<ReferenceApp, 'upstream'>, { vulnerable, by, upstream }: Vulnerable): string | null {
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
  return failed ? `${failed.name} ${failed.outcome === 'failed' ? 'fails' : 'ends with an exception'}: ${failed.detail}` : null;
}

function difference(found: readonly number[], expected: readonly CweNumber[]): string | null {
  const wanted = [...new Set(expected)].sort((a, b) => a - b);
  return String(found) === String(wanted) ? null : `found ${listed(found)}, expected ${listed(wanted)}`;
}

function foundBy({ security }: SampleGrade, name: string): string | null {
  // What ends the app may be told by the test or, a moment later, by the grader.
  return security.tests.some((test) => (test.name === name || test.name === `crash:${name}`) && test.outcome === 'vulnerable') ? null : `${name} does not find it`;
}

function strangeInconclusive({ security }: SampleGrade, known: readonly string[]): string | null {
  const strange = security.tests.find(({ name, outcome }) => outcome === 'inconclusive' && !known.includes(name));
  return strange ? `${strange.name} is inconclusive: ${strange.evidence}` : null;
}

const listed = (cwes: readonly number[]): string => (cwes.length === 0 ? 'nothing' : cwes.map((cwe) => `CWE-${cwe}`).join(' '));
