import { sha256 } from '@assay/files/content-digest';
import type { Behaviour } from '../verify/split/observe-behaviour.ts';

const MAX_SENTENCES = 3;
/** Of all that is known to go wrong, one in so many is told at most, beside one of each outcome. */
const ONE_IN = 3;
/** Of a sentence, without what sets it up. */
const MAX_LENGTH = 300;
/** A longer setup is a block of code. */
const MAX_INLINE = 100;

/** What an instruction tells of the behaviour that tests of the fix ask for, and how much it keeps to itself. */
export interface ToldBehaviour {
  /** `symptoms`: what happens today, and not a word of what is expected instead. */
  tells: 'expectations' | 'symptoms';
  /** A sentence of its own each, in Markdown. */
  sentences: string[];
  /** Observations that the sentences tell. */
  told: Behaviour[];
  /**
   * Observations that fail at T0 and of which no expectation is told: of other calls or values, so that whoever answers
   * for the told ones alone fails them; or all of them, beside symptoms.
   */
  heldBack: number;
}

export interface TellRequest {
  /** What can be told, each with other words. */
  behaviours: readonly Behaviour[];
  failToPass: readonly string[];
  /** The same choice is made for the same seed. */
  seed: string;
  /** What the language calls it. */
  verb: 'raise' | 'throw';
  /** Whether a sentence may stand in an instruction. */
  isClean(sentence: string): boolean;
}

/**
 * Chooses a small part of what was observed: one of each outcome that another observation has too, else a third of it
 * at most; three sentences at most, of different tests where there are some. Where that is nothing, as too little would be held back, one symptom. Null when there is none.
 */
export function tellBehaviour({ behaviours, failToPass, seed, verb, isClean }: TellRequest): ToldBehaviour | null {
  const byInputs = new Map<string, Behaviour[]>();
  for (const each of behaviours) byInputs.set(each.inputs, [...(byInputs.get(each.inputs) ?? []), each]);
  const known = new Set(behaviours.map(({ test }) => test));
  const sites = byInputs.size + failToPass.filter((id) => !known.has(id)).length;
  const order = [...byInputs.values()]
    .flatMap((group) => group.slice(0, 1))
    .map((behaviour) => ({ behaviour, sentence: sentenceOf(behaviour, verb) }))
    .filter(({ behaviour, sentence }) => isShort(behaviour, sentence) && isClean(sentence))
    .map((each) => ({ ...each, rank: rankOf(each.behaviour), lot: lotOf(seed, each.sentence) }))
    .sort((one, other) => one.rank - other.rank || (one.lot < other.lot ? -1 : 1));
  const chosen = oneOfEachOutcome(order);
  const limit = Math.min(MAX_SENTENCES, Math.floor(sites / ONE_IN), byInputs.size - 1);
  for (const isFirst of [true, false])
    for (const each of order) {
      const isKnown = chosen.some(({ behaviour }) => behaviour.test === each.behaviour.test);
      if (chosen.length < limit && !chosen.includes(each) && !(isFirst && isKnown)) chosen.push(each);
    }
  if (chosen.length === 0) return symptom(behaviours, { seed, isClean, verb, heldBack: byInputs.size });
  return {
    tells: 'expectations',
    sentences: chosen.map(({ sentence }) => sentence),
    told: chosen.map(({ behaviour }) => behaviour),
    heldBack: byInputs.size - chosen.length,
  };
}

interface Choice {
  behaviour: Behaviour;
  sentence: string;
}

/** The first of each outcome that another observation, which is held back, has too. */
function oneOfEachOutcome<Each extends Choice>(order: readonly Each[]): Each[] {
  const byOutcome = new Map<string, Each[]>();
  for (const each of order) {
    const outcome = outcomeOf(each.behaviour);
    byOutcome.set(outcome, [...(byOutcome.get(outcome) ?? []), each]);
  }
  const groups = [...byOutcome.values()].filter(({ length }) => length > 1);
  return groups.flatMap((group) => group.slice(0, 1)).slice(0, MAX_SENTENCES);
}

/** What is asked, and what kind of answer is expected: an exception, a yes or no, any other value. */
function outcomeOf({ kind, expected, inputs }: Behaviour): string {
  const isKind = kind === 'raises' || /^(true|false|null|undefined|none)$/i.test(expected);
  return `${namesOf(inputs)} ${isKind ? `${kind} ${expected}` : 'value'}`;
}

/** Names of the code that is asked, with commas. */
export const namesOf = (inputs: string): string => inputs.slice(0, inputs.indexOf('('));

/** What happens today, of the observation that comes first. */
function symptom(
  behaviours: readonly Behaviour[],
  { seed, verb, isClean, heldBack }: Pick<TellRequest, 'seed' | 'verb' | 'isClean'> & { heldBack: number },
): ToldBehaviour | null {
  const [first] = behaviours
    .flatMap((behaviour) => {
      const sentence = symptomOf(behaviour, verb);
      return sentence !== null && isShort(behaviour, sentence) && isClean(sentence) ? [{ behaviour, sentence }] : [];
    })
    .sort(
      (one, other) =>
        rankOf(one.behaviour) - rankOf(other.behaviour) ||
        (lotOf(seed, one.sentence) < lotOf(seed, other.sentence) ? -1 : 1),
    );
  return first ? { tells: 'symptoms', sentences: [first.sentence], told: [first.behaviour], heldBack } : null;
}

const lotOf = (seed: string, sentence: string): string => sha256(`${seed}\n${sentence}`);

const isShort = ({ setup }: Behaviour, sentence: string): boolean =>
  sentence.length - after(setup).length <= MAX_LENGTH;

/** What comes before a sentence, with its statements on the same line where they are few; nothing without a setup. */
function after(setup: string | undefined): string {
  if (setup === undefined) return '';
  const lines = setup.split('\n');
  const line = lines.join('; ');
  const isInline = line.length <= MAX_INLINE && !lines.some((each) => /^[\s@]|:$/.test(each));
  return isInline ? `After \`${line}\`, ` : `After this:\n\n\`\`\`\n${setup}\n\`\`\`\n\n`;
}

/** Says in one sentence what happens today; null where nobody saw it, or nothing happens but that a name is not there. */
function symptomOf({ setup, expression, before }: Behaviour, verb: TellRequest['verb']): string | null {
  if (before === null || before.does === 'absent') return null;
  const call = `${after(setup)}\`${expression}\``;
  if (before.does === 'raises') return `${call} ${verb}s \`${before.text}\`${messageOf(before)}.`;
  return `${call} ${expression.endsWith(')') ? 'returns' : 'is'} \`${before.text}\`, and should not.`;
}

const messageOf = ({ message }: { message: string | null }): string =>
  message === null ? '' : ` (${message.replace(/\.$/, '')})`;

/** What says most comes first: what happens today, then what does not exist yet, then what nobody saw. */
function rankOf({ before, expression, setup = '' }: Behaviour): number {
  const unknown = before === null ? 4 : before.does === 'absent' ? 2 : 0;
  return unknown + (setup.length + expression.length > 80 ? 1 : 0);
}

/** Says in one sentence what is expected, and what happens today, after what sets it up. */
export function sentenceOf(behaviour: Behaviour, verb: TellRequest['verb']): string {
  const { setup, expression, kind, expected, says, before } = behaviour;
  const call = `${after(setup)}\`${expression}\``;
  const gives = expression.endsWith(')') ? 'return' : 'be';
  const wanted =
    kind === 'raises'
      ? `${verb} ${expected === 'Error' ? 'an error' : `\`${expected}\``}${says ? ` that says ${JSON.stringify(says)}` : ''}`
      : kind === 'contains'
        ? `have \`${expected}\` in it`
        : `${gives} \`${expected}\``;
  if (before === null || before.does === 'absent') return `${call} should ${wanted}.`;
  if (before.does === 'returns') {
    const today = gives === 'return' ? 'returns' : 'is';
    return `${call} ${today} \`${before.text}\`; it should ${wanted}.`;
  }
  return `${call} ${verb}s \`${before.text}\`${messageOf(before)}; it should ${wanted}.`;
}
