/**
 * Grades an answer to a standard of test cases, as root in Harbor's verifier container: each case is given to the
 * submission in a process of another user, and the result is compared here. Compiled into `tests/grader/grade.mjs`;
 * test.sh has already written reward 0.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Standard, TestCasesStandard } from '@assay/protocol';
import { weightedFloor } from '@assay/protocol/weighted-score';
import { reportTests } from '@assay/sandbox';
import { UserProvider } from './user-provider.ts';

const TESTS = '/tests';
const WORKSPACE = '/workspace';
const LOGS = '/logs/verifier';
const LONGEST_ANSWER = 10 * 1024 * 1024;

interface Graded {
  score: number;
  cases: { id: string; passed: boolean }[];
}

async function main(): Promise<void> {
  const { answer } = JSON.parse(readFileSync(join(TESTS, 'contract.json'), 'utf8')) as { answer: string };
  const standard = JSON.parse(readFileSync(join(TESTS, 'standard.json'), 'utf8')) as Standard;
  const code = readAnswer(join(WORKSPACE, answer));
  if (code === null)
    return writeReward(0, { note: `there is no answer: ${answer} is missing, too large or no regular file` });
  const { score, cases } = await gradeBy(standard, code, '');
  writeReward(score / 100, { score, cases });
}

/** Bytes that are not text become text with a NUL, which is refused as binary. */
function readAnswer(path: string): string | null {
  try {
    // An agent may have left a link to a file that root can read.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const status = fstatSync(descriptor);
      return status.isFile() && status.size <= LONGEST_ANSWER ? decode(readFileSync(descriptor)) : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return '\0';
  }
}

async function gradeBy(standard: Standard, code: string, above: string): Promise<Graded> {
  if (standard.type === 'test_cases') return gradeCases(standard, code, above);
  if (standard.type !== 'composite') throw new Error(`${standard.type} cannot be graded here`);
  const children: { weight: number; graded: Graded }[] = [];
  for (const [index, { weight, standard: child }] of standard.children.entries())
    children.push({ weight, graded: await gradeBy(child, code, `${above}child-${index + 1}/`) });
  return {
    score: weightedFloor(children.map(({ weight, graded: { score } }) => ({ weight, score }))),
    cases: children.flatMap(({ graded }) => graded.cases),
  };
}

async function gradeCases(
  { functionName, cases, language, timeoutMs, numberTolerance, unordered }: TestCasesStandard,
  code: string,
  above: string,
): Promise<Graded> {
  const reports = await reportTests(new UserProvider(), code, functionName, cases, {
    language: language ?? 'javascript',
    timeoutMs,
    numberTolerance,
    unordered,
  });
  return {
    score: weightedFloor(reports.map(({ weight = 1, passed }) => ({ weight, score: passed ? 100 : 0 }))),
    // The reason why a case failed would reveal the expected value.
    cases: reports.map(({ passed }, index) => ({ id: `${above}case-${index + 1}`, passed })),
  };
}

function writeReward(reward: number, details: object): void {
  for (const [name, value] of [
    ['details.json', details],
    ['reward.json', { reward }],
  ] as const) {
    const draft = join(LOGS, `.${name}`);
    writeFileSync(draft, JSON.stringify(value, null, 1));
    renameSync(draft, join(LOGS, name));
  }
  process.stdout.write(`${JSON.stringify({ reward, ...details }, null, 1)}\n`);
}

await main();
process.exit(0);
