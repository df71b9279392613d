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
  try {
    // Bytes that are no text become text with a NUL, which is refused as binary.
    const reports = await reportTests(
      provider,
      decode(submission) ?? '\0',
      standard.functionName,
      standard.cases,
      optionsOf(standard, signal),
    );
    const results = reports.map((report, index) => judgeCase(report, index));
    const score = weightedFloor(results.map(({ weight, passed }) => ({ weight, score: passed ? 100 : 0 })));
    const passed = score >= passScore;
    return { type: 'test_cases', score, passScore, passed, outcome: passed ? 'pass' : 'fail', results, ...about };
  } catch (error) {
    signal?.throwIfAborted();
    if (!AssayError.is(error) || error.kind !== 'infrastructure') throw error;
    return {
      type: 'test_cases',
      score: null,
      passScore,
      passed: false,
      outcome: 'invalid',
      results: [],
      ...about,
      note: error.message,
    };
  }
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
  const parsed = signature ? parseSignature(signature) : undefined;
  return {
    ...(language ? { language } : {}),
    ...(parsed ? { signature: parsed } : {}),
    ...(timeoutMs ? { timeoutMs } : {}),
    ...(numberTolerance === undefined ? {} : { numberTolerance }),
    ...(unordered === undefined ? {} : { unordered }),
    signal,
  };
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
  return {
    kind: 'case',
    id: `case-${index + 1}`,
    desc,
    passed,
    weight: weight ?? 1,
    durationMs,
    ...(got === undefined ? {} : { got }),
    ...(expected === undefined ? {} : { expected }),
    ...(error === undefined ? {} : { error }),
  };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
