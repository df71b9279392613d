import {
  AssayError,
  type ChecklistStandard,
  harmlessText,
  type ItemJudgement,
  type Judgement,
  MIN_PASS_SCORE,
  type Trust,
  weightedFloor,
} from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import type { ModelJudgeOptions } from '../judge-prompt/judge-by-model.ts';
import { countSamples } from '../jury/ask-jury.ts';
import { digestTranscript, type ModelRecord } from '../jury/record.ts';
import { askModelAboutItems, type ItemAnswer, type ModelItems } from './ask-model.ts';
import { type AssignedItem, assignItems, itemsBy } from './assign-items.ts';
import type { ChecklistAnswers } from './parse-answers.ts';
import { runProbe } from './run-probe.ts';

export interface ItemQuestion {
  /** Counted from 1. */
  number: number;
  /** Number of items in the checklist. */
  total: number;
  check: string;
}

export interface ChecklistOptions {
  answers?: ChecklistAnswers;
  /** Asks the person at the terminal, one item at a time. Leave it out when there is none. */
  ask?: (question: ItemQuestion) => Promise<{ passed: boolean; evidence: string }>;
  model?: ModelJudgeOptions;
  /** Runs the probes; needs a shell. */
  provider?: SandboxProvider;
  /** Name of the submission for the probes, which find it at `/workspace/NAME`. Default `submission`. */
  submissionName?: string;
  /** Raises that of the standard, never lowers it. */
  passScore?: number;
  signal?: AbortSignal;
}

export interface ChecklistJudgement {
  judgement: Judgement;
  /** Exchanges with models. Answers of persons and probes are in the results. */
  records: ModelRecord[];
}

/**
 * Judges item by item. Each is answered by its probe, else the answers file, else the model, else the person. `digests`
 * has `submission`, and `answers`, `prompt` and `transcript` where there are any. Throws `CHECKLIST_UNANSWERED`,
 * `ANSWERS_INVALID` or `BAD_OPTION` before anything is run or asked; later `INTERRUPTED`, and what a provider says when
 * it cannot run here.
 */
export async function judgeChecklist(
  standard: ChecklistStandard,
  submission: Uint8Array,
  options: ChecklistOptions,
): Promise<ChecklistJudgement> {
  const { answers, provider, model } = options;
  if (model) countSamples(model.samples);
  const hasProbes = standard.items.some((item) => typeof item !== 'string' && item.probe !== undefined);
  if (hasProbes && provider?.runs === 'javascript')
    throw new AssayError('BAD_OPTION', {
      option: '--provider',
      detail: `${provider.name ?? 'it'} runs no shell, which the probes of this checklist need`,
    });
  const { items, unused } = assignItems(standard, {
    answers,
    hasProvider: provider !== undefined,
    hasModel: model !== undefined,
    hasPerson: options.ask !== undefined,
  });

  const answered = await answerByProbes(items, submission, options);
  const forModel = items.filter(({ source }) => source.by === 'model');
  const byModel =
    model === undefined || forModel.length === 0
      ? null
      : await askModelAboutItems(standard, forModel, submission, { ...model, signal: options.signal ?? model.signal });
  for (const [id, answer] of byModel?.answers ?? []) answered.set(id, answer);
  for (const { id, source } of items) {
    if (source.by === 'answers-file')
      answered.set(id, { passed: source.answer.passed, evidence: harmlessText(source.answer.evidence) });
  }
  // A person is not asked once the outcome can only be invalid.
  if ([...answered.values()].every(({ passed }) => passed !== null)) await answerByPerson(items, answered, options);

  const results = items.map((item) => judgeItem(item, answered.get(item.id)));
  return {
    judgement: concludeChecklist(standard, submission, options, { results, byModel, unused }),
    records: byModel?.records ?? [],
  };
}

async function answerByProbes(
  items: readonly AssignedItem[],
  submission: Uint8Array,
  options: ChecklistOptions,
): Promise<Map<string, ItemAnswer>> {
  const answered = new Map<string, ItemAnswer>();
  const name = probeName(options.submissionName);
  for (const { id, source } of items) {
    if (source.by === 'probe' && options.provider)
      answered.set(id, await runProbe(options.provider, source.probe, submission, { name, signal: options.signal }));
  }
  return answered;
}

async function answerByPerson(
  items: readonly AssignedItem[],
  answered: Map<string, ItemAnswer>,
  { ask, signal }: ChecklistOptions,
): Promise<void> {
  const interrupted = Promise.withResolvers<never>();
  const interrupt = (): void => interrupted.reject(new AssayError('INTERRUPTED'));
  interrupted.promise.catch(() => {});
  signal?.addEventListener('abort', interrupt, { once: true });
  if (signal?.aborted) interrupt();
  try {
    for (const { id, number, check, source } of items) {
      if (source.by !== 'person' || ask === undefined) continue;
      const { passed, evidence } = await Promise.race([
        interrupted.promise,
        ask({ number, total: items.length, check }),
      ]);
      answered.set(id, { passed, evidence: harmlessText(evidence) });
    }
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
}

/** Returns a file name that is safe within quotes in a shell line. */
function probeName(name = 'submission'): string {
  const last = name.split('/').at(-1) ?? '';
  return /^[^-\p{C}][^\p{C}]{0,99}$/u.test(last) && last !== '.' && last !== '..' ? last : 'submission';
}

function judgeItem({ id, check, weight, source }: AssignedItem, answer: ItemAnswer | undefined): ItemJudgement {
  const base = { kind: 'item' as const, id, check, weight };
  return answer
    ? { ...base, ...answer, by: source.by }
    : { ...base, passed: null, by: 'nobody', evidence: 'not asked: the outcome is invalid already' };
}

function concludeChecklist(
  standard: ChecklistStandard,
  submission: Uint8Array,
  options: ChecklistOptions,
  found: { results: ItemJudgement[]; byModel: ModelItems | null; unused: number[] },
): Judgement {
  const { results, byModel } = found;
  const unknown = results.find(({ passed }) => passed === null);
  const score = unknown
    ? null
    : weightedFloor(results.map(({ weight, passed }) => ({ weight, score: passed ? 100 : 0 })));
  const passScore = Math.max(MIN_PASS_SCORE, standard.passScore ?? 0, options.passScore ?? 0);
  const passed = score !== null && score >= passScore;
  const hasProbes = results.some(({ by }) => by === 'probe');
  return {
    type: 'checklist',
    score,
    passScore,
    passed,
    outcome: unknown ? 'invalid' : passed ? 'pass' : 'fail',
    results,
    trust: trustOf(results, options, found),
    isolation: hasProbes ? (options.provider?.isolation ?? 'none') : 'none',
    limits: hasProbes ? (options.provider?.limits ?? 'partial') : 'partial',
    verifier: byModel ? `checklist@1, model:${options.model?.modelName ?? ''}` : 'checklist@1',
    digests: {
      submission: sha256(submission),
      ...(results.some(({ by }) => by === 'answers-file') && options.answers
        ? { answers: options.answers.digest }
        : {}),
      ...(byModel
        ? {
            prompt: byModel.prompt,
            transcript: digestTranscript(byModel.records.flatMap(({ exchanges }) => exchanges)),
          }
        : {}),
    },
    note: unknown && `item ${results.indexOf(unknown) + 1}: ${unknown.evidence}`,
  };
}

/**
 * The lowest of the sources; probes alone are as good as tests in one process, for the submission that they run can
 * steer them.
 */
function trustOf(
  results: readonly ItemJudgement[],
  { answers, model }: ChecklistOptions,
  { byModel, unused }: { byModel: ModelItems | null; unused: number[] },
): Trust {
  const [probes, file, asked, person] = (['probe', 'answers-file', 'model', 'person'] as const).map((by) =>
    itemsBy(results, by),
  );
  const reasons = [
    ...(person ? [`${person}: a person answered at the terminal`] : []),
    ...(file
      ? [`${file}: answered in a file${answers?.by === undefined ? '' : ` by ${harmlessText(answers.by)}`}`]
      : []),
    ...(asked ? [`${asked}: answered by a model`, ...(byModel?.reasons ?? [])] : []),
    ...(probes ? [`${probes}: answered by probes; a submission that a probe runs shares the sandbox with it`] : []),
    ...(unused.length > 0
      ? [
          `answers of the file to ${unused.length === 1 ? 'item' : 'items'} ${unused.join(', ')} were not used: ` +
            'probes go first',
        ]
      : []),
  ];
  const level = asked ? (model?.unsealed ? 'unsealed' : 'judged') : person || file ? 'attested' : 'in-process';
  return { level, reasons };
}
