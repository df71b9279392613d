import {
  canonicalJson,
  type CriterionJudgement,
  harmlessText,
  type Judgement,
  type JudgePromptStandard,
  MIN_PASS_SCORE,
  type Trust,
  weightedFloor,
} from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import { askJury, countSamples, type JuryOptions } from '../jury/ask-jury.ts';
import type { Assignment } from '../jury/assignment.ts';
import { framingOf } from '../jury/framings.ts';
import { median } from '../jury/median.ts';
import { submissionForModel } from '../jury/prepare-submission.ts';
import { digestTranscript, type Exchange, type ModelRecord, type Sample } from '../jury/record.ts';
import { sealedPrompt } from '../jury/sealed-prompt.ts';

export interface ModelJudgeOptions extends JuryOptions {
  modelName: string;
  /** Shown without its query. */
  endpoint: string;
  /** Raises that of the standard, never lowers it. */
  passScore?: number;
  /** A longer submission fails without being put to the model. Default 400,000. */
  maxCharacters?: number;
}

export interface ModelJudgement {
  judgement: Judgement;
  record: ModelRecord;
}

interface Criterion {
  id: string;
  criterion: string;
  text: string;
  weight: number;
}

/** The samples of a judgement, or a `note` why there are none. */
interface Finding {
  samples: Sample[];
  exchanges: Exchange[];
  reasons: string[];
  note?: string;
  isInvalid: boolean;
}

/**
 * Judges by what a model says to each criterion: the total is computed here, from medians. A submission that says
 * nothing, or is binary, scores 0 without a question, as its only sample. `digests` has `submission`, `prompt` and
 * `transcript`. Throws `INTERRUPTED` and, for an even number of samples, `BAD_OPTION`.
 */
export async function judgeByModel(
  standard: JudgePromptStandard,
  submission: Uint8Array,
  options: ModelJudgeOptions,
): Promise<ModelJudgement> {
  const samples = countSamples(options.samples ?? standard.samples);
  const criteria = weightedCriteria(standard);
  const assignment: Assignment = {
    kind: 'score',
    prompt: promptOf(standard),
    questions: criteria.map(({ id, text }) => ({ id, text })),
  };
  const about = describeJudge(options, assignment);
  const finding = await findScores(assignment, submission, { ...options, samples });

  const results = criteria.map((criterion) => judgeCriterion(criterion, finding));
  const score = finding.isInvalid
    ? null
    : weightedFloor(results.map((result) => ({ weight: result.weight, score: result.score ?? 0 })));
  const passScore = Math.max(MIN_PASS_SCORE, standard.passScore ?? 0, options.passScore ?? 0);
  const passed = score !== null && score >= passScore;
  const judgement: Judgement = {
    type: 'judge_prompt',
    score,
    passScore,
    passed,
    outcome: finding.isInvalid ? 'invalid' : passed ? 'pass' : 'fail',
    results,
    trust: { level: about.level, reasons: [...about.reasons, ...finding.reasons] },
    // The submission is read and never run.
    isolation: 'none',
    limits: 'partial',
    verifier: `model:${options.modelName}`,
    digests: { submission: sha256(submission), prompt: about.prompt, transcript: digestTranscript(finding.exchanges) },
    note: finding.note,
  };
  const record: ModelRecord = {
    model: options.modelName,
    endpoint: about.endpoint,
    kind: 'score',
    questions: [...assignment.questions],
    samples: finding.samples,
    exchanges: finding.exchanges,
  };
  return { judgement, record };
}

async function findScores(
  assignment: Assignment,
  submission: Uint8Array,
  options: ModelJudgeOptions,
): Promise<Finding> {
  const shown = submissionForModel(submission, options);
  if (shown.kind !== 'text')
    return { samples: [], exchanges: [], reasons: ['the model was not asked'], note: shown.reason, isInvalid: false };
  const answer = await askJury(assignment, shown.text, options);
  const { exchanges, servedBy } = answer;
  const others = servedBy
    .filter((name) => name !== options.modelName)
    .map((name) => `the service says that ${harmlessText(name)} answered`);
  if (answer.kind !== 'answered')
    return {
      samples: [],
      exchanges,
      reasons: [...others, ...shown.flags],
      note: harmlessText(answer.reason),
      isInvalid: answer.kind === 'invalid',
    };
  return {
    samples: answer.samples,
    exchanges,
    reasons: [`the median of ${answer.samples.length} samples counts`, ...others, ...shown.flags],
    isInvalid: false,
  };
}

/**
 * Describes the judge, independent of the submission. `prompt` is the digest of the prompt without its random parts and
 * the submission.
 */
export function describeJudge(
  options: Pick<ModelJudgeOptions, 'modelName' | 'endpoint' | 'unsealed'>,
  assignment: Assignment,
): { endpoint: string; prompt: string; level: Trust['level']; reasons: string[] } {
  const url = URL.canParse(options.endpoint) ? new URL(options.endpoint) : null;
  const endpoint = url === null ? 'unknown' : `${url.origin}${url.pathname}`;
  const { system, user } = sealedPrompt(assignment, '', {
    framing: framingOf(0),
    nonces: { delimiter: 'delimiter', token: 'token' },
  });
  return {
    endpoint,
    prompt: sha256(canonicalJson({ system, user })),
    level: options.unsealed ? 'unsealed' : 'judged',
    reasons: [
      ...(options.unsealed ? ['the defences of the model judge are off'] : []),
      `judged by the model ${harmlessText(options.modelName)} at ${endpoint}: ` +
        'an opinion that another run may not repeat',
    ],
  };
}

function weightedCriteria({ criteria, weights }: JudgePromptStandard): Criterion[] {
  if (criteria === undefined)
    return [
      {
        id: 'c1',
        criterion: 'overall',
        text: 'overall: how well the submission does what it is judged by',
        weight: weights?.[0] ?? 1,
      },
    ];
  return criteria.map((text, index) => ({ id: `c${index + 1}`, criterion: text, text, weight: weights?.[index] ?? 1 }));
}

function promptOf({ description, prompt }: JudgePromptStandard): string {
  return description === undefined ? prompt : `${prompt.trim()}\n\nThe task that was set:\n${description.trim()}`;
}

function judgeCriterion(
  { id, criterion, weight }: Criterion,
  { samples, isInvalid, note }: Finding,
): CriterionJudgement {
  const answers = samples.flatMap((sample) => sample.answers[id] ?? []);
  // A rule that scores 0 without a question stands in the place of the samples, so that the median follows from them as
  // ever.
  const scores = note !== undefined && !isInvalid ? [0] : answers.map(({ score }) => score);
  return {
    kind: 'criterion',
    id,
    criterion,
    weight,
    score: isInvalid ? null : median(scores),
    samples: scores,
    spread: scores.length === 0 ? 0 : Math.max(...scores) - Math.min(...scores),
    reasons: note === undefined ? answers.map(({ reason }) => harmlessText(reason).slice(0, 1000)) : [note],
  };
}
