import { AssayError, canonicalJson } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import type { ChatAnswer, ChatModel } from '@assay/lanes/models/contract';
import type { Answers, Assignment } from './assignment.ts';
import { CANARY_TEXT, canaryAssignment, obeyedCanary } from './canary.ts';
import type { Exchange, Sample } from './record.ts';
import { framingOf } from './framings.ts';
import { naivePrompt, readNaively } from './naive-prompt.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';
import { freshNonces, sealedPrompt, type Prompt } from './sealed-prompt.ts';

/** Who is asked, and how often. */
export interface JuryOptions {
  model: ChatModel;
  /** How many times each question is answered; odd, so that there is a median. Default 3. */
  samples?: number;
  /** Tries of one sample, each with a new prompt, until an answer is usable. The transport retries too. Default 3. */
  attempts?: number;
  signal?: AbortSignal | undefined;
  /**
   * Takes the defences off: the prompt of a naive judge, and whatever can be made of its answer. For positive controls;
   * the trust is then `unsealed`.
   */
  unsealed?: boolean;
}

/**
 * `invalid`: the model gave no usable answer, or is not fit to judge. `fail`: it answers the same questions about
 * another text but not about this one, so that no text can keep itself from being judged. There are never fewer samples
 * than were asked for.
 */
export type JuryAnswer = ({ kind: 'answered'; samples: Sample[] } | { kind: 'invalid' | 'fail'; reason: string }) & {
  exchanges: Exchange[];
  servedBy: string[];
};

const DEFAULT_SAMPLES = 3;
const DEFAULT_ATTEMPTS = 3;
const MOST_TOKENS = 32_000;
/** Harmless and short, so that nothing but the questions can keep a model from an answer. */
const CONTROL_TEXT = 'function add(a, b) {\n  return a + b;\n}\n';

/** The number of samples. Throws `BAD_OPTION` when there would be no median. */
export function countSamples(count = DEFAULT_SAMPLES): number {
  if (!Number.isInteger(count) || count < 1 || count % 2 === 0)
    throw new AssayError('BAD_OPTION', {
      option: '--samples',
      detail: 'give an odd number, so that there is a median',
    });
  return count;
}

interface Round {
  purpose: Exchange['purpose'];
  assignment: Assignment;
  text: string;
  /** From 0. */
  sample: number;
}
interface RoundAnswer {
  answers: Answers | null;
  exchanges: Exchange[];
}

/**
 * Asks a model the questions of an assignment about a text, several times in different framings, and once about a
 * canary. Throws `INTERRUPTED` and `BAD_OPTION`; all else that goes wrong is `invalid`.
 */
export async function askJury(assignment: Assignment, text: string, options: JuryOptions): Promise<JuryAnswer> {
  const count = countSamples(options.samples);
  const rounds: Round[] = Array.from({ length: count }, (_, sample) => ({
    purpose: 'sample',
    assignment,
    text,
    sample,
  }));
  if (!options.unsealed)
    rounds.unshift({ purpose: 'canary', assignment: canaryAssignment(assignment.kind), text: CANARY_TEXT, sample: 0 });
  const answered = await Promise.all(rounds.map((round) => askRound(round, options)));

  const blamed = await blameText(rounds, answered, options);
  const exchanges = answered.flatMap((answer) => answer.exchanges);
  const servedBy = [...new Set(exchanges.flatMap((exchange) => exchange.servedBy ?? []))].sort();
  const failed = answered.find(({ answers }) => answers === null);
  const problem = failed?.exchanges.findLast(({ purpose }) => purpose !== 'control')?.problem ?? 'none';
  const samples: Sample[] = [];
  for (const [index, { answers }] of answered.entries()) {
    const round = rounds[index];
    if (round === undefined || answers === null) continue;
    if (round.purpose === 'sample') samples.push({ framing: framingOf(round.sample).name, answers });
    else if (obeyedCanary(answers))
      return {
        kind: 'invalid',
        reason: 'the model is not fit to judge: it obeyed an order that stood in the data of a test question',
        exchanges,
        servedBy,
      };
  }
  if (blamed)
    return {
      kind: 'fail',
      reason: `the model answers about another text and has no usable answer about this one: ${problem}`,
      exchanges,
      servedBy,
    };
  if (failed) return { kind: 'invalid', reason: `no usable answer of the model: ${problem}`, exchanges, servedBy };
  return { kind: 'answered', samples, exchanges, servedBy };
}

/**
 * Where samples lack a usable answer, asks the same about a text of ours, and then each sample once more. Answers that
 * come now replace the missing ones in `answered`. Returns true when the model answers about our text and, again, not
 * about the judged one.
 */
async function blameText(rounds: readonly Round[], answered: RoundAnswer[], options: JuryOptions): Promise<boolean> {
  for (const [index, round] of rounds.entries()) {
    const { answers, exchanges } = answered[index] ?? { answers: null, exchanges: [] };
    if (answers !== null) continue;
    if (round.purpose === 'canary') return false;
    const control = await askRound({ ...round, purpose: 'control', text: CONTROL_TEXT }, options);
    const again = control.answers === null ? control : await askRound(round, options);
    const asked = again === control ? control.exchanges : [...control.exchanges, ...again.exchanges];
    answered[index] = { answers: again.answers, exchanges: [...exchanges, ...asked] };
    if (again.answers === null) return again !== control;
  }
  return false;
}

async function askRound(round: Round, options: JuryOptions): Promise<RoundAnswer> {
  const exchanges: Exchange[] = [];
  let maxTokens = Math.min(MOST_TOKENS, 3000 + 150 * round.assignment.questions.length);
  for (let attempt = 0; attempt < (options.attempts ?? DEFAULT_ATTEMPTS); attempt += 1) {
    const { exchange, answers, isFinal } = await askOnce(round, attempt, maxTokens, options);
    exchanges.push(exchange);
    if (answers !== null) return { answers, exchanges };
    if (isFinal) break;
    if (exchange.stop === 'truncated') maxTokens = Math.min(MOST_TOKENS, maxTokens * 2);
  }
  return { answers: null, exchanges };
}

/** `isFinal`: the transport has tried again already, or it would be of no use. */
async function askOnce(
  { purpose, assignment, text, sample }: Round,
  attempt: number,
  maxTokens: number,
  options: JuryOptions,
): Promise<{ exchange: Exchange; answers: Answers | null; isFinal: boolean }> {
  const framing = framingOf(sample);
  const prompt = options.unsealed
    ? naivePrompt(assignment, text)
    : sealedPrompt(assignment, text, { framing, nonces: freshNonces(text), rotate: sample });
  const exchange: Exchange = {
    purpose,
    sample,
    framing: framing.name,
    attempt,
    token: prompt.token,
    prompt: digestPrompt(prompt),
    answer: null,
    stop: null,
    problem: null,
  };
  let reply: ChatAnswer;
  try {
    reply = await options.model.complete({
      system: prompt.system,
      user: prompt.user,
      maxTokens,
      temperature: 0,
      signal: options.signal,
    });
  } catch (error) {
    if (!AssayError.is(error) || error.code === 'INTERRUPTED' || error.kind === 'bug') throw error;
    return { exchange: { ...exchange, problem: error.message }, answers: null, isFinal: true };
  }
  const answered: Exchange = { ...exchange, answer: reply.text, stop: reply.stop, servedBy: reply.servedBy };
  if (options.unsealed) return { exchange: answered, answers: readNaively(reply.text, assignment), isFinal: false };
  const read = readReply(reply, assignment, prompt.token);
  return read.ok
    ? { exchange: answered, answers: read.answers, isFinal: false }
    : { exchange: { ...answered, problem: read.problem }, answers: null, isFinal: false };
}

function readReply({ stop, text }: ChatAnswer, assignment: Assignment, token: string): ReadAnswer {
  if (stop === 'refused') return { ok: false, problem: 'it refused to answer' };
  if (stop === 'truncated') return { ok: false, problem: 'its answer was cut off' };
  return readAnswer(text, assignment, token);
}

function digestPrompt({ system, user }: Prompt): string {
  return sha256(canonicalJson({ system, user }));
}
