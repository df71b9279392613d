import { AssayError } from '@assay/protocol/errors';
import { functionNameProblem } from '@assay/protocol/function-name';
import { harmlessText } from '@assay/protocol/harmless-text';
import type { Signature } from '@assay/protocol/type-signature';
import type { SandboxProvider } from '../contract.ts';
import { firstDifference, type Comparison } from '../values/compare-values.ts';
import { fromTagged, toTagged, type Tagged } from '../values/tagged-value.ts';
import type { CaseOutcome, CaseRequest, SubmissionLanguage } from './case-outcome.ts';
import { extractCode } from './extract-code.ts';
import type { TestCase, TestResult } from './test-case.ts';

export interface RunTestsOptions extends Comparison {
  /** Default `javascript`, which takes TypeScript too. */
  language?: SubmissionLanguage;
  /** Needed for Go and Rust. */
  signature?: Signature;
  /** Time of one case, in milliseconds. Default 3000. */
  timeoutMs?: number;
  /** Memory of the process that runs the submission. Default: the provider's own. */
  memoryBytes?: number;
  signal?: AbortSignal;
}

const DEFAULT_TIMEOUT_MS = 3000;
const MOST_CASES = 10_000;
const LONGEST_TIMEOUT_MS = 60 * 60 * 1000;
const LONGEST_ERROR = 1000;
const LONGEST_SUBMISSION = 10 * 1024 * 1024;

/**
 * Calls a function of the submitted code with the input of each case, inside a sandbox, and compares what it returns
 * outside. The sandbox never holds an expected value, nor a case before its turn.
 *
 * Whatever the submission does ends in results that did not pass. Throws `BAD_OPTION` when the cases, the name or the
 * options are wrong, `PROVIDER_UNAVAILABLE` when the provider cannot run the language here, and errors of kind
 * `infrastructure` when it broke.
 */
export async function runTests(
  provider: SandboxProvider,
  code: string,
  functionName: string,
  cases: readonly TestCase[],
  options: RunTestsOptions = {},
): Promise<TestResult[]> {
  return (await reportTests(provider, code, functionName, cases, options)).map(
    ({ desc, passed, got, expected, error, weight }) => ({
      desc,
      passed,
      ...(got === undefined ? {} : { got: fromTagged(got) }),
      expected: expected === undefined ? undefined : fromTagged(expected),
      ...(error === undefined ? {} : { error }),
      ...(weight === undefined ? {} : { weight }),
    }),
  );
}

/** One result with its values as JSON, for records that have to be written down. */
export interface TestReport {
  desc: string;
  passed: boolean;
  got?: Tagged;
  /** Absent where an error was expected. */
  expected?: Tagged;
  error?: string;
  weight?: number;
  durationMs: number;
}

/** Like {@link runTests}, with tagged values and durations. */
export async function reportTests(
  provider: SandboxProvider,
  code: string,
  functionName: string,
  cases: readonly TestCase[],
  options: RunTestsOptions = {},
): Promise<TestReport[]> {
  const prepared = checkCases(cases, options);
  const problem = typeof functionName === 'string' ? functionNameProblem(functionName) : 'expected a text';
  if (problem !== null) throw new AssayError('BAD_OPTION', { option: 'functionName', detail: problem });
  const language = options.language ?? 'javascript';
  const refusal = refuseCode(code);
  const outcomes =
    refusal === null
      ? await runCases(provider, {
          ...request(prepared, options),
          source: extractCode(code, language, functionName),
          language,
          functionName,
        })
      : prepared.map((): CaseOutcome => ({ kind: 'failed', reason: refusal }));
  return prepared.map((entry, index) =>
    judgeCase(entry, outcomes[index] ?? { kind: 'failed', reason: 'no answer came' }, options),
  );
}

interface PreparedCase {
  given: TestCase;
  input: string;
  expected: Tagged | null;
  timeoutMs: number;
}

function checkCases(cases: readonly TestCase[], options: RunTestsOptions): PreparedCase[] {
  const bad = (option: string, detail: string): AssayError => new AssayError('BAD_OPTION', { option, detail });
  if (!Array.isArray(cases)) throw bad('cases', 'expected an array of cases');
  if (cases.length > MOST_CASES) throw bad('cases', `expected at most ${MOST_CASES}, not ${cases.length}`);
  return cases.map((given: TestCase, index) => {
    const at = `cases[${index}]`;
    if (typeof given !== 'object' || given === null) throw bad(at, 'expected an object');
    if (!Array.isArray(given.input)) throw bad(`${at}.input`, 'expected an array: the arguments');
    const { weight } = given;
    if (weight !== undefined && !(Number.isFinite(weight) && weight >= 0))
      throw bad(`${at}.weight`, 'expected a number of at least 0');
    const timeoutMs = given.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
      throw bad(`${at}.timeoutMs`, `expected milliseconds above 0 and at most ${LONGEST_TIMEOUT_MS}`);
    const tolerances = given.numberTolerance ?? options.numberTolerance ?? 0;
    for (const tolerance of typeof tolerances === 'number'
      ? [tolerances]
      : [tolerances.abs ?? 0, tolerances.rel ?? 0]) {
      if (!(Number.isFinite(tolerance) && tolerance >= 0))
        throw bad(`${at}.numberTolerance`, 'expected a number of at least 0');
    }
    return {
      given,
      timeoutMs,
      input: JSON.stringify(tag(`${at}.input`, given.input)),
      expected: given.throws === undefined ? tag(`${at}.expected`, given.expected) : null,
    };
  });
}

function tag(option: string, value: unknown): Tagged {
  try {
    return toTagged(value);
  } catch (error) {
    throw new AssayError(
      'BAD_OPTION',
      { option, detail: error instanceof Error ? error.message : String(error) },
      { cause: error },
    );
  }
}

function refuseCode(code: unknown): string | null {
  if (typeof code !== 'string') return 'the submission is no text';
  if (code.trim() === '') return 'the submission is empty';
  if (code.includes('\0')) return 'the submission is binary';
  return code.length > LONGEST_SUBMISSION ? `the submission is longer than ${LONGEST_SUBMISSION} characters` : null;
}

function request(
  cases: PreparedCase[],
  { signature, memoryBytes, signal }: RunTestsOptions,
): Omit<CaseRequest, 'source' | 'language' | 'functionName'> {
  return { cases: cases.map(({ input, timeoutMs }) => ({ input, timeoutMs })), signature, memoryBytes, signal };
}

async function runCases(provider: SandboxProvider, caseRequest: CaseRequest): Promise<CaseOutcome[]> {
  if (caseRequest.cases.length === 0) return [];
  if (provider.runCases) return provider.runCases(caseRequest);
  const { runCasesInProcesses } = await import('./run-cases-in-processes.ts');
  return runCasesInProcesses(provider, caseRequest);
}

function judgeCase({ given, expected }: PreparedCase, outcome: CaseOutcome, options: RunTestsOptions): TestReport {
  const error = oneLine(caseError(given, expected, outcome, { ...options, ...definedRules(given) }));
  return {
    desc: given.desc ?? 'test',
    passed: error === null,
    ...(outcome.kind === 'returned' ? { got: outcome.value } : {}),
    ...(given.throws === undefined ? { expected } : {}),
    ...(error === null ? {} : { error }),
    ...(given.weight === undefined ? {} : { weight: given.weight }),
    durationMs: outcome.durationMs ?? 0,
  };
}

/** Makes an error one harmless line: parts of it may be the submission's words. */
function oneLine(error: string | null): string | null {
  if (error === null) return null;
  const start = error.slice(0, LONGEST_ERROR);
  return (
    harmlessText(start)
      .replace(/\s*\n\s*/g, ' ')
      .trim() + (error.length > LONGEST_ERROR ? '…' : '')
  );
}

function definedRules({ numberTolerance, unordered }: TestCase): Comparison {
  return {
    ...(numberTolerance === undefined ? {} : { numberTolerance }),
    ...(unordered === undefined ? {} : { unordered }),
  };
}

function caseError(
  { throws }: TestCase,
  expected: Tagged | null,
  outcome: CaseOutcome,
  rules: Comparison,
): string | null {
  if (outcome.kind === 'failed') return outcome.reason;
  if (throws !== undefined) {
    if (outcome.kind === 'returned') return 'expected an error, but it returned';
    const { name = undefined, message = undefined } =
      typeof throws === 'string' ? { message: throws } : throws === true ? {} : throws;
    if (name !== undefined && outcome.name !== name)
      return `expected an error called ${name}, got ${outcome.name}: ${outcome.message}`;
    return message === undefined || outcome.message.includes(message)
      ? null
      : `expected an error that says ${JSON.stringify(message)}, got ${outcome.message}`;
  }
  if (outcome.kind === 'thrown') return `it threw ${outcome.name === '' ? '' : `${outcome.name}: `}${outcome.message}`;
  return firstDifference(outcome.value, expected, rules);
}
