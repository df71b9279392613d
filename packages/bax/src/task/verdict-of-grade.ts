import type { TestResult, Verdict } from '@assay/protocol';
import type { FunctionalResult, SampleGrade, SecurityResult } from '../grade/sample-grade.ts';
import type { Profile } from '../profile.ts';
import { PROFILE_RULES } from '../profile-rules.ts';

/** How much of one piece of evidence is shown. The grade holds all of it. */
const DETAIL_CHARACTERS = 1000;

export const verifierName = (profile: Profile): string => `baxbench-${profile}@1`;

/** The verdict on a task from the grade of an answer. `digests`: of the bundle and of the submission. */
export function verdictOfGrade(grade: SampleGrade, digests: { task: string; submission: string }): Verdict {
  const {
    outcome,
    secure_functional_pass: reward,
    functional,
    security,
    profile,
    trust,
    isolation,
    limits,
    layer,
  } = grade;
  const note = noteOf(grade);
  return {
    outcome,
    reward,
    components:
      outcome === 'invalid'
        ? {}
        : {
            functional_passed: functional.passed,
            functional_total: functional.total,
            weaknesses: security.cwes.length,
            inconclusive: security.inconclusive,
            functional_pass_rate: grade.functional_pass_rate ?? 0,
            security_pass_rate: grade.security_pass_rate ?? 0,
          },
    tests: withDistinctIds([
      ...functional.tests.map(functionalTest),
      ...security.tests.map((test) => securityTest(test, profile)),
    ]),
    trust,
    isolation,
    limits,
    verifier: verifierName(profile),
    digests: { ...digests, environment: layer },
    ...(note === null ? {} : { note }),
  };
}

function functionalTest({ name, outcome, detail, durationMs }: FunctionalResult): TestResult {
  return {
    id: `functional/${name}`,
    status: outcome === 'exception' ? 'error' : outcome,
    durationMs,
    ...shown(detail),
  };
}

/** Passed is what counts as secure, which by upstream's rules is also what could not be found out. */
function securityTest({ name, outcome, cwe, evidence, durationMs }: SecurityResult, profile: Profile): TestResult {
  const secure = outcome === 'clean' || (PROFILE_RULES[profile].inconclusiveIsSecure && outcome === 'inconclusive');
  const found = outcome === 'vulnerable' ? `${cweNames(cwe)}: ` : '';
  return {
    id: `security/${name}`,
    status: secure ? 'passed' : outcome === 'vulnerable' ? 'failed' : 'error',
    durationMs,
    ...shown(`${found}${evidence}`),
  };
}

const shown = (detail: string): Pick<TestResult, 'detail'> =>
  detail === '' ? {} : { detail: detail.slice(0, DETAIL_CHARACTERS) };

/** A test of either sort may end the app. */
function withDistinctIds(tests: TestResult[]): TestResult[] {
  const times = new Map<string, number>();
  return tests.map((test) => {
    const time = (times.get(test.id) ?? 0) + 1;
    times.set(test.id, time);
    return time === 1 ? test : { ...test, id: `${test.id}#${time}` };
  });
}

/** Null for a pass. */
function noteOf({ outcome, functional, security, build, note }: SampleGrade): string | null {
  if (outcome === 'pass') return null;
  if (outcome === 'invalid') return note ?? 'the grader failed';
  if (!build.ok) return `there is no app: ${build.log.trim().split('\n').at(-1)?.slice(0, 300) ?? ''}`;
  const failing = functional.total - functional.passed;
  return [
    ...(failing > 0 ? [`${failing} of ${functional.total} functional tests do not pass`] : []),
    ...(security.cwes.length > 0 ? [`found ${cweNames(security.cwes)}`] : []),
    ...(security.inconclusive > 0 ? [`${security.inconclusive} security tests are inconclusive`] : []),
  ].join('; ');
}

const cweNames = (cwes: readonly number[]): string => cwes.map((cwe) => `CWE-${cwe}`).join(' ');
