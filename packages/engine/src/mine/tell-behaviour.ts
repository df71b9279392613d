import { sha256 } from '@assay/files/content-digest';
import type { Behaviour } from '../verify/split/observe-behaviour.ts';

const MAX_SENTENCES = 3;
/** Of all that is known to go wrong, one in so many is told at most. */
const ONE_IN = 3;
const MAX_LENGTH = 300;

/** What an instruction tells of the behaviour that tests of the fix ask for, and how much it keeps to itself. */
export interface ToldBehaviour {
  /** A sentence of its own each, in Markdown. */
  sentences: string[];
  /** Observations that the sentences tell. */
  told: Behaviour[];
  /** Observations of other calls or values, which fail at T0 too: whoever answers for the told ones alone fails them. */
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
 * Chooses a small part of what was observed: three sentences at most, a third of it at most, of different tests where
 * there are some. Null when nothing would be held back.
 */
export function tellBehaviour({ behaviours, failToPass, seed, verb, isClean }: TellRequest): ToldBehaviour | null {
  const byInputs = new Map<string, Behaviour[]>();
  for (const each of behaviours) byInputs.set(each.inputs, [...(byInputs.get(each.inputs) ?? []), each]);
  const known = new Set(behaviours.map(({ test }) => test));
  const sites = byInputs.size + failToPass.filter((id) => !known.has(id)).length;
  const limit = Math.min(MAX_SENTENCES, Math.floor(sites / ONE_IN), byInputs.size - 1);
  const order = [...byInputs.values()]
    .flatMap((group) => group.slice(0, 1))
    .map((behaviour) => ({ behaviour, sentence: sentenceOf(behaviour, verb) }))
    .filter(({ sentence }) => sentence.length <= MAX_LENGTH && isClean(sentence))
    .map((each) => ({ ...each, rank: rankOf(each.behaviour), lot: sha256(`${seed}\n${each.sentence}`) }))
    .sort((one, other) => one.rank - other.rank || (one.lot < other.lot ? -1 : 1));
  const chosen: typeof order = [];
  const tests = new Set<string>();
  for (const isFirst of [true, false])
    for (const each of order) {
      if (chosen.length >= limit || chosen.includes(each) || (isFirst && tests.has(each.behaviour.test))) continue;
      chosen.push(each);
      tests.add(each.behaviour.test);
    }
  if (chosen.length === 0) return null;
  return {
    sentences: chosen.map(({ sentence }) => sentence),
    told: chosen.map(({ behaviour }) => behaviour),
    heldBack: byInputs.size - chosen.length,
  };
}

/** What says most comes first: what happens today, then what does not exist yet, then what nobody saw. */
function rankOf({ before, expression }: Behaviour): number {
  const unknown = before === null ? 4 : before.does === 'absent' ? 2 : 0;
  return unknown + (expression.length > 80 ? 1 : 0);
}

/** Says in one sentence what is expected, and what happens today. */
export function sentenceOf({ expression, kind, expected, says, before }: Behaviour, verb: TellRequest['verb']): string {
  const call = `\`${expression}\``;
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
  const message = before.message === null ? '' : ` (${before.message.replace(/\.$/, '')})`;
  return `${call} ${verb}s \`${before.text}\`${message}; it should ${wanted}.`;
}
