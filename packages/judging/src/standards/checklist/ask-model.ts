import type { ChecklistStandard, ItemJudgement } from '@assay/protocol';
import { harmlessText } from '@assay/protocol';
import { describeJudge, type ModelJudgeOptions } from '../judge-prompt/judge-by-model.ts';
import { askJury } from '../jury/ask-jury.ts';
import type { Assignment } from '../jury/assignment.ts';
import { median } from '../jury/median.ts';
import { submissionForModel } from '../jury/prepare-submission.ts';
import type { ModelRecord, Sample } from '../jury/record.ts';
import type { AssignedItem } from './assign-items.ts';

export type ItemAnswer = Pick<ItemJudgement, 'passed' | 'evidence'>;

export interface ModelItems {
  /** By the id of the item. */
  answers: Map<string, ItemAnswer>;
  records: ModelRecord[];
  reasons: string[];
  /** Digest of the prompts. */
  prompt: string;
  /** Reason that there is no answer. */
  invalid: string | null;
}

/** Number of items in one question. Answers to more are often incomplete. */
const BATCH = 25;

/** Asks a model about items, with the defences of the model judge; the majority of the samples counts. */
export async function askModelAboutItems(
  standard: ChecklistStandard,
  items: readonly AssignedItem[],
  submission: Uint8Array,
  options: ModelJudgeOptions,
): Promise<ModelItems> {
  const assignmentOf = (some: readonly AssignedItem[]): Assignment => ({
    kind: 'check',
    prompt: standard.description ?? '',
    questions: some.map(({ id, check }) => ({ id, text: check })),
  });
  const about = describeJudge(options, assignmentOf(items));
  const result: ModelItems = {
    answers: new Map(),
    records: [],
    reasons: [...about.reasons],
    prompt: about.prompt,
    invalid: null,
  };
  const shown = submissionForModel(submission, options);
  if (shown.kind !== 'text') {
    for (const { id } of items) result.answers.set(id, { passed: false, evidence: shown.reason });
    result.reasons.push('the model was not asked');
    return result;
  }
  result.reasons.push(...shown.flags);
  for (let start = 0; start < items.length && result.invalid === null; start += BATCH) {
    const batch = items.slice(start, start + BATCH);
    const assignment = assignmentOf(batch);
    const answer = await askJury(assignment, shown.text, options);
    const samples = answer.kind === 'answered' ? answer.samples : [];
    result.records.push({
      model: options.modelName,
      endpoint: about.endpoint,
      kind: 'check',
      questions: [...assignment.questions],
      samples,
      exchanges: answer.exchanges,
    });
    if (answer.kind === 'invalid') result.invalid = harmlessText(answer.reason);
    for (const { id } of batch)
      result.answers.set(
        id,
        answer.kind === 'answered'
          ? majority(samples, id)
          : { passed: false, evidence: harmlessText(answer.reason).slice(0, 1000) },
      );
  }
  for (const { id } of items)
    if (result.invalid !== null) result.answers.set(id, { passed: null, evidence: result.invalid });
  return result;
}

function majority(samples: readonly Sample[], id: string): ItemAnswer {
  const answers = samples.flatMap((sample) => sample.answers[id] ?? []);
  const score = median(answers.map((answer) => answer.score));
  const agreeing = answers.filter((answer) => answer.score === score);
  const reason = harmlessText(agreeing[0]?.reason ?? '').slice(0, 1000);
  return { passed: score === 100, evidence: `${agreeing.length} of ${answers.length} samples: ${reason}` };
}
