import {
  AssayError,
  type CaseJudgement,
  type Judgement,
  MIN_PASS_SCORE,
  parseSignatureType,
  type Signature,
  type TestCasesStandard,
  type Trust,
  weightedFloor,
} from '@assay/protocol';
import { reportTests, type RunTestsOptions, type SandboxProvider, type TestReport } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';

export const TEST_CASES_VERSION = '1';

/** Does nothing or does not compile. Either way it takes a working sandbox to find out. */
const CONTROL_CODE = ';';

export interface TestCasesOptions {
  provider: SandboxProvider;
  signal?: AbortSignal;
}

/**
 * Runs the cases against the submission and compares outside. Expected values never enter the sandbox. What the
 * submission does is its score; a sandbox that breaks makes the judgement `invalid`. Throws `PROVIDER_UNAVAILABLE` and
 * `INTERRUPTED`.
 */
export async function judgeTestCases(
  standard: TestCasesStandard,
  submission: Uint8Array,
  { provider, signal }: TestCasesOptions,
): Promise<Judgement> {
  const about = describeRun(provider, submission);
  const passScore = Math.max(MIN_PASS_SCORE, standard.passScore ?? 0);
  const runs = await runCases(standard, submission, { provider, signal });
  if (typeof runs === 'string')
    return {
      type: 'test_cases',
      score: null,
      passScore,
      passed: false,
      outcome: 'invalid',
      results: [],
      ...about,
      note: runs,
    };
  const results = runs.map((report, index) => judgeCase(report, index));
  const score = weightedFloor(results.map(({ weight, passed }) => ({ weight, score: passed ? 100 : 0 })));
  const passed = score >= passScore;
  return { type: 'test_cases', score, passScore, passed, outcome: passed ? 'pass' : 'fail', results, ...about };
}

/**
 * Returns the reports of all cases, or why the sandbox broke. A sandbox that breaks twice at this submission, but not
 * at one that does nothing, was broken by the submission: then every case has failed.
 */
async function runCases(
  standard: TestCasesStandard,
  submission: Uint8Array,
  { provider, signal }: TestCasesOptions,
): Promise<TestReport[] | string> {
  const run = (code: string, cases: TestCasesStandard['cases']): Promise<TestReport[] | string> =>
    reportTests(provider, code, standard.functionName, cases, optionsOf(standard, signal)).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (!AssayError.is(error) || error.kind !== 'infrastructure') throw error;
      return error.message;
    });
  // Bytes that are not text become text with a NUL, which is refused as binary.
  const code = decode(submission) ?? '\0';
  const first = await run(code, standard.cases);
  if (typeof first !== 'string') return first;
  if (typeof (await run(CONTROL_CODE, standard.cases.slice(0, 1))) === 'string') return first;
  const again = await run(code, standard.cases);
  if (typeof again !== 'string') return again;
  return standard.cases.map(({ desc, weight }, index) => ({
    desc: desc ?? `case ${index + 1}`,
    passed: false,
    weight,
    durationMs: 0,
    error: `the sandbox broke at this submission, and not at one that does nothing: ${again}`,
  }));
}

function describeRun(
  provider: SandboxProvider,
  submission: Uint8Array,
): Pick<Judgement, 'trust' | 'isolation' | 'limits' | 'verifier' | 'digests'> {
  const isolation = provider.isolation ?? 'none';
  const trust: Trust =
    isolation === 'none'
      ? {
          level: 'in-process',
          reasons: [`${provider.name ?? 'the provider'} is no boundary: the submission could reach whatever judges it`],
        }
      : { level: 'split', reasons: ['the submission never held an expected value'] };
  return {
    trust,
    isolation,
    limits: provider.limits ?? 'partial',
    verifier: `test_cases@${TEST_CASES_VERSION}`,
    digests: { submission: sha256(submission) },
  };
}

function optionsOf(
  { language, signature, timeoutMs, numberTolerance, unordered }: TestCasesStandard,
  signal: AbortSignal | undefined,
): RunTestsOptions {
  return { language, signature: signature && parseSignature(signature), timeoutMs, numberTolerance, unordered, signal };
}

function parseSignature({ params, returns }: { params: string[]; returns: string }): Signature {
  const type = (text: string): Signature['returns'] => {
    const parsed = parseSignatureType(text);
    if (!parsed) throw new AssayError('IMPOSSIBLE', { detail: `a standard was let through with the type ${text}` });
    return parsed;
  };
  return { parameters: params.map(type), returns: type(returns) };
}

function judgeCase(
  { desc, passed, got, expected, error, weight, durationMs }: TestReport,
  index: number,
): CaseJudgement {
  return { kind: 'case', id: `case-${index + 1}`, desc, passed, weight: weight ?? 1, durationMs, got, expected, error };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
