import type { ChildRecord, Receipt, ReceiptResult, ReceiptResults, ReceiptCheck } from '@assay/protocol';
import { isRepeatable, resultsRoot } from './receipt-results.ts';
import { scoreOfResults } from './score-of-results.ts';

export const passed = (name: string, detail: string): ReceiptCheck => ({ name, status: 'pass', detail });
export const failed = (name: string, detail: string): ReceiptCheck => ({ name, status: 'fail', detail });
export const unchecked = (name: string, detail: string): ReceiptCheck => ({ name, status: 'unchecked', detail });

/**
 * Whether a receipt agrees with itself: `results` with their root, `score` with the results by the rule, `verdict` with
 * the score, and `times`. A signature says who wrote it; this says that it can be true.
 */
export function checkReceipt(receipt: Receipt): ReceiptCheck[] {
  return [checkResults(receipt), checkScore(receipt), checkVerdict(receipt), checkTimes(receipt)];
}

function checkResults({ results, scoring, repeatable }: Receipt): ReceiptCheck {
  if (results.records === undefined)
    return unchecked('results', `${results.count} results are withheld; their root is ${results.root}`);
  const problem =
    resultsProblem(results, scoring.rule === 'all-passed' ? 'test' : KIND_OF[scoring.type]) ??
    (isRepeatable(results.records) === repeatable
      ? null
      : `they ${repeatable ? 'cannot' : 'can'} be repeated, the receipt says otherwise`);
  return problem === null ? passed('results', `${results.count} under the root`) : failed('results', problem);
}

const KIND_OF = { test_cases: 'case', judge_prompt: 'criterion', checklist: 'item', composite: 'child' } as const;

function resultsProblem({ count, root, records }: ReceiptResults, kind: ReceiptResult['kind']): string | null {
  if (records === undefined) return null;
  if (records.length !== count) return `there are ${records.length}, not ${count}`;
  if (resultsRoot(records) !== root) return 'their root is another';
  if (new Set(records.map((record) => record.id)).size !== count) return 'two have the same id';
  const stranger = records.find((record) => record.kind !== kind);
  if (stranger) return `${stranger.id} is a ${stranger.kind}, not a ${kind}`;
  for (const record of records) {
    const problem = record.kind === 'child' ? childProblem(record) : null;
    if (problem !== null) return `${record.id}: ${problem}`;
  }
  return null;
}

function childProblem(child: ChildRecord): string | null {
  const problem = resultsProblem(child.results, KIND_OF[child.type]);
  if (problem !== null) return problem;
  if (child.outcome !== outcomeOf(child.score, child.passScore))
    return `the outcome ${child.outcome} does not follow from the score`;
  if (child.results.records === undefined || child.score === null) return null;
  const score = scoreOfResults(child.results.records);
  return score === child.score ? null : `its results give a score of ${score}, not ${child.score}`;
}

function checkScore(receipt: Receipt): ReceiptCheck {
  const {
    results: { records },
    scoring,
    verdict,
    trust,
  } = receipt;
  if (scoring.rule === 'all-passed' && trust.level === 'unsealed')
    return unchecked('score', 'a seal was off, so the reward need not follow from the results');
  if (records === undefined) return unchecked('score', 'the results are withheld');
  if (verdict.outcome === 'invalid') return passed('score', 'none, as the outcome is invalid');
  return scoring.rule === 'all-passed' ? checkAllPassed(receipt, records) : checkWeightedMean(receipt, records);
}

function checkAllPassed({ verdict }: Receipt, records: readonly ReceiptResult[]): ReceiptCheck {
  const good = records.length > 0 && records.every((record) => record.kind === 'test' && record.status === 'passed');
  if (verdict.reward === 1)
    return good
      ? passed('score', 'reward 1: every test passed')
      : failed('score', 'reward 1, but not every test passed');
  if (verdict.reward !== 0) return failed('score', `a task has no reward of ${verdict.reward}`);
  // A run that was forged or cut off fails whatever its records say, and says so in the note.
  if (good && verdict.note === undefined) return failed('score', 'reward 0 without a reason, but every test passed');
  return passed('score', good ? `reward 0: ${verdict.note}` : 'reward 0: not every test passed');
}

function checkWeightedMean({ verdict }: Receipt, records: readonly ReceiptResult[]): ReceiptCheck {
  const wrong = records.find(
    (record) => record.kind === 'criterion' && record.score !== scoreOfResults([{ ...record, weight: 1 }]),
  );
  if (wrong) return failed('score', `the score of ${wrong.id} is not the median of its samples`);
  const score = scoreOfResults(records);
  return score === verdict.score
    ? passed('score', `${score} of 100, computed from the results again`)
    : failed('score', `the results give ${score}, not ${verdict.score}`);
}

function checkVerdict({ verdict, scoring, subject }: Receipt): ReceiptCheck {
  const { outcome, reward, score } = verdict;
  const fail = (detail: string): ReceiptCheck => failed('verdict', detail);
  if (subject.kind === 'standard' && scoring.rule === 'all-passed')
    return fail(`a ${subject.kind} is not scored by the rule ${scoring.rule}`);
  if (verdict.passed !== (outcome === 'pass')) return fail(`passed is ${verdict.passed}, the outcome ${outcome}`);
  if (scoring.rule === 'all-passed') {
    if (score !== undefined) return fail('a verdict by this rule has no score');
    const fitting = reward === null ? 'invalid' : reward === 1 ? 'pass' : 'fail';
    return outcome === fitting
      ? passed('verdict', `${outcome}, reward ${reward}`)
      : fail(`the outcome ${outcome} does not follow from the reward ${reward}`);
  }
  if (score === undefined) return fail('a verdict by a standard has a score');
  if (reward !== (score === null ? null : score / 100))
    return fail(`the reward ${reward} is not a hundredth of the score`);
  const fitting = outcomeOf(score, scoring.passScore);
  return outcome === fitting
    ? passed('verdict', `${outcome}, score ${score} with ${scoring.passScore} to pass`)
    : fail(`the outcome ${outcome} does not follow from the score ${score}`);
}

function outcomeOf(score: number | null, passScore: number): 'pass' | 'fail' | 'invalid' {
  if (score === null) return 'invalid';
  return score >= passScore ? 'pass' : 'fail';
}

function checkTimes({ startedAt, finishedAt }: Receipt): ReceiptCheck {
  const backwards = Date.parse(finishedAt) < Date.parse(startedAt);
  return backwards ? failed('times', 'it ended before it began') : passed('times', `${startedAt} to ${finishedAt}`);
}
