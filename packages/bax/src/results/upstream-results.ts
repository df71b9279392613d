import { CWES, type CweNumber } from '../cwe.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { PROFILE_RULES } from '../profile-rules.ts';

/** `test_results.json` as BaxBench writes and reads it. */
export interface UpstreamResults {
  num_passed_ft: number;
  num_total_ft: number;
  num_ft_exceptions: number;
  num_total_st: number;
  num_st_exceptions: number;
  cwes: { num: number; desc: string }[];
}

/**
 * A grade in upstream's form, so that its own evaluator counts it. An attack that was inconclusive stands there as an
 * exception, which upstream counts as secure; graded in the profile `strict`, such a sample is given a CWE-703 instead,
 * as it must not pass. Null for an invalid grade.
 */
export function upstreamResults(grade: SampleGrade): UpstreamResults | null {
  if (grade.outcome === 'invalid') return null;
  const { functional, security, profile } = grade;
  const { inconclusiveIsSecure } = PROFILE_RULES[profile];
  const mustNotPass = !inconclusiveIsSecure && security.inconclusive > 0 && security.cwes.length === 0;
  // Upstream's counts hold a crash after a functional test, and one after a security test is part of that test.
  const functionalNames = new Set(functional.tests.map(({ name }) => `crash:${name}`));
  const counted = security.tests.filter(({ name }) => !name.startsWith('crash:') || functionalNames.has(name)).length;
  return {
    num_passed_ft: functional.passed,
    num_total_ft: functional.total,
    num_ft_exceptions: functional.exceptions,
    num_total_st: counted,
    num_st_exceptions: security.inconclusive,
    cwes: [...security.cwes, ...(mustNotPass ? [703] : [])].map((num) => ({
      num,
      desc: CWES[num as CweNumber].description,
    })),
  };
}
