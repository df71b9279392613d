import {
  AssayError,
  canonicalJson,
  type ChecklistStandard,
  type ChildJudgement,
  type CompositeStandard,
  type Judgement,
  type Language,
  MIN_PASS_SCORE,
  type Standard,
  type Trust,
  TrustLevel,
  compareIsolation,
  weightedFloor,
} from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { assignItems } from './checklist/assign-items.ts';
import { judgeChecklist, type ItemQuestion } from './checklist/judge-checklist.ts';
import type { ChecklistAnswers } from './checklist/parse-answers.ts';
import { judgeByModel, type ModelJudgeOptions } from './judge-prompt/judge-by-model.ts';
import { judgeTestCases } from './judge-test-cases.ts';
import type { ModelRecord } from './jury/record.ts';

export interface JudgeOptions {
  /** For test cases in a language; asked for only when there are some. */
  testProvider: (language: Language) => Promise<SandboxProvider>;
  /** For the probes of a checklist. */
  shellProvider: () => Promise<SandboxProvider>;
  model?: ModelJudgeOptions;
  answers?: ChecklistAnswers;
  /** Asks the person at the terminal. */
  ask?: (question: ItemQuestion) => Promise<{ passed: boolean; evidence: string }>;
  /** File name of the submission, for probes. */
  submissionName?: string;
  signal?: AbortSignal;
}

export interface Judged {
  judgement: Judgement;
  /** Exchanges with models. */
  records: ModelRecord[];
  /** Names of the providers that ran something. */
  providers: string[];
}

/**
 * The judgement of a submission by a standard. Throws `MODEL_MISSING` when a model has to judge and none is given,
 * `CHECKLIST_UNANSWERED`, `ANSWERS_INVALID`, and what a provider says when it cannot run here; all before anything is
 * asked or run, where that can be known.
 */
export async function judgeSubmission(
  standard: Standard,
  submission: Uint8Array,
  options: JudgeOptions,
): Promise<Judged> {
  requireModel(standard, options);
  requireAnswers(standard, options);
  const judged = await judgeOne(standard, submission, { ...options, whole: standard });
  judged.judgement.digests['standard'] ??= sha256(canonicalJson(standard));
  return judged;
}

function requireModel(standard: Standard, options: JudgeOptions): void {
  if (standard.type === 'composite') for (const child of standard.children) requireModel(child.standard, options);
  if (standard.type === 'judge_prompt' && !options.model) throw new AssayError('MODEL_MISSING');
}

/** Throws for items that nobody would answer, before anything is run. */
function requireAnswers(standard: Standard, options: JudgeOptions): void {
  const checklists = checklistsOf(standard);
  const { answers } = options;
  if (answers && checklists.length > 1) {
    const known = new Set(checklists.flatMap((checklist) => checklist.items.map(textOf)));
    const stranger = answers.answers.findIndex(({ item }) => typeof item === 'number' || !known.has(item));
    if (stranger !== -1) {
      throw new AssayError('ANSWERS_INVALID', {
        file: answers.file,
        field: `answers[${stranger}].item`,
        detail: 'expected the text of an item, as this standard has several checklists',
      });
    }
  }
  for (const checklist of checklists) {
    const own = answersFor(checklist, standard, answers);
    assignItems(checklist, {
      answers: own,
      hasProvider: true,
      hasModel: options.model !== undefined,
      hasPerson: options.ask !== undefined,
    });
  }
}

function checklistsOf(standard: Standard): ChecklistStandard[] {
  if (standard.type === 'composite') return standard.children.flatMap((child) => checklistsOf(child.standard));
  return standard.type === 'checklist' ? [standard] : [];
}

/** Returns the part of the answers file that is about one of several checklists. */
function answersFor(
  checklist: ChecklistStandard,
  whole: Standard,
  answers: ChecklistAnswers | undefined,
): ChecklistAnswers | undefined {
  if (!answers || checklistsOf(whole).length <= 1) return answers;
  const texts = new Set(checklist.items.map(textOf));
  return { ...answers, answers: answers.answers.filter(({ item }) => typeof item === 'string' && texts.has(item)) };
}

function textOf(item: ChecklistStandard['items'][number]): string {
  return typeof item === 'string' ? item : item.check;
}

type Within = JudgeOptions & { whole: Standard };

async function judgeOne(standard: Standard, submission: Uint8Array, options: Within): Promise<Judged> {
  const signal = options.signal ? { signal: options.signal } : {};
  switch (standard.type) {
    case 'test_cases': {
      const provider = await options.testProvider(standard.language ?? 'javascript');
      return {
        judgement: await judgeTestCases(standard, submission, { provider, ...signal }),
        records: [],
        providers: [provider.name ?? 'unnamed'],
      };
    }
    case 'judge_prompt': {
      if (!options.model) throw new AssayError('MODEL_MISSING');
      const { judgement, record } = await judgeByModel(standard, submission, { ...options.model, ...signal });
      return { judgement, records: [record], providers: [] };
    }
    case 'checklist':
      return judgeItems(standard, submission, options);
    case 'composite':
      return judgeComposite(standard, submission, options);
  }
}

async function judgeItems(standard: ChecklistStandard, submission: Uint8Array, options: Within): Promise<Judged> {
  const { ask, model, submissionName, signal } = options;
  const answers = answersFor(standard, options.whole, options.answers);
  const probed = standard.items.some((item) => typeof item !== 'string' && item.probe);
  const provider = probed ? await options.shellProvider() : undefined;
  const { judgement, records } = await judgeChecklist(standard, submission, {
    answers,
    ask,
    model,
    provider,
    submissionName: submissionName || undefined,
    signal,
  });
  return { judgement, records, providers: provider ? [provider.name ?? 'unnamed'] : [] };
}

/** Scores the weighted mean of the children, rounded down. One invalid child makes the whole invalid. */
async function judgeComposite(standard: CompositeStandard, submission: Uint8Array, options: Within): Promise<Judged> {
  const results: ChildJudgement[] = [];
  const records: ModelRecord[] = [];
  const providers: string[] = [];
  for (const [index, child] of standard.children.entries()) {
    const judged = await judgeOne(child.standard, submission, options);
    records.push(...judged.records);
    providers.push(...judged.providers);
    judged.judgement.digests['standard'] = sha256(canonicalJson(child.standard));
    results.push({ kind: 'child', id: `child-${index + 1}`, weight: child.weight, judgement: judged.judgement });
  }
  const children = results.map(({ judgement }) => judgement);
  const invalid = results.find(({ judgement }) => judgement.outcome === 'invalid');
  const score = invalid
    ? null
    : weightedFloor(results.map(({ weight, judgement }) => ({ weight, score: judgement.score ?? 0 })));
  const passScore = Math.max(MIN_PASS_SCORE, standard.passScore ?? 0);
  const passed = score !== null && score >= passScore;
  return {
    judgement: {
      type: 'composite',
      score,
      passScore,
      passed,
      outcome: invalid ? 'invalid' : passed ? 'pass' : 'fail',
      results,
      trust: combinedTrust(results),
      ...weakestSandbox(children),
      verifier: 'composite@1',
      digests: { submission: sha256(submission), ...modelDigests(children) },
      note: invalid && `${invalid.id} is invalid${invalid.judgement.note ? `: ${invalid.judgement.note}` : ''}`,
    },
    records,
    providers: [...new Set(providers)],
  };
}

/** Returns the worst trust level of any child. An opinion ranks below the result of a program. */
function combinedTrust(children: ChildJudgement[]): Trust {
  const order: Trust['level'][] = ['forged', 'unsealed', 'judged', 'attested', 'in-process', 'mixed', 'split'];
  const levels = children.map(({ judgement }) => judgement.trust.level);
  const level = order.find((candidate) => levels.includes(candidate)) ?? TrustLevel.enum.split;
  return {
    level,
    reasons: children.flatMap(({ id, judgement }) => judgement.trust.reasons.map((reason) => `${id}: ${reason}`)),
  };
}

/** Returns the weakest sandbox among children that ran something; `none` when none did. */
function weakestSandbox(children: Judgement[]): Pick<Judgement, 'isolation' | 'limits'> {
  const ran = children.filter((child) => child.type === 'test_cases' || child.isolation !== 'none');
  const [weakest] = ran.map(({ isolation }) => isolation).toSorted(compareIsolation);
  return {
    isolation: weakest ?? 'none',
    limits: ran.length > 0 && ran.every(({ limits }) => limits === 'full') ? 'full' : 'partial',
  };
}

/** Combines the digests of all children in order, because the whole has one prompt and one transcript. */
function modelDigests(children: Judgement[]): Record<string, string> {
  return Object.fromEntries(
    (['prompt', 'transcript', 'answers'] as const).flatMap((name) => {
      const digests = children.flatMap((child) => child.digests[name] ?? []);
      return digests.length === 0
        ? []
        : [[name, digests.length === 1 ? (digests[0] ?? '') : sha256(canonicalJson(digests))]];
    }),
  );
}
