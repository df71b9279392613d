import type { FunctionFacet, SourceFunction, TestedCall } from '../../ecosystems/function-facet.ts';
import { Rejection } from '../candidate.ts';
import { Lots } from './draw-values.ts';

const MOST_HIDDEN = 24;
const MOST_TOLD = 3;
/** With fewer, somebody who does something else may still pass. */
const MIN_HIDDEN = 6;
const MIN_ANSWERS = 3;
const MOST_RESULT = 300;
/** What stands in an instruction has to be read. */
const MOST_TOLD_CHARACTERS = 140;

export interface ChosenCalls {
  hidden: TestedCall[];
  /** Examples for the instruction, of which no hidden test asks. */
  told: TestedCall[];
}

/**
 * Chooses which calls become tests and which are told: as many different answers as there are, the rarest first, and
 * exceptions only where the function says to throw them. Throws `no_values` where they are too few.
 */
export function chooseCalls(
  steady: readonly TestedCall[],
  { found, facet, seed }: { found: SourceFunction; facet: FunctionFacet; seed: string },
): ChosenCalls {
  const lots = new Lots(`${seed} chosen`);
  const answer = ({ result }: TestedCall): string => answerOf(result, facet);
  const usable = steady
    .filter(({ result }) =>
      result.does === 'raises'
        ? found.raises.includes(result.name ?? '')
        : result.does !== 'other' && result.value !== undefined,
    )
    .filter((each) => answer(each).length <= MOST_RESULT)
    .map((each) => ({ each, lot: lots.next() }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ each }) => each);
  const groups = [...Map.groupBy(usable, answer).values()].sort((a, b) => a.length - b.length);
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  const ordered = Array.from({ length: longest }, (_, index) =>
    groups.flatMap((own) => own.slice(index, index + 1)),
  ).flat();
  const told = toldOf(ordered, (each) => `${facet.renderCall(found, each.call)}${answer(each)}`);
  const hidden = ordered.filter((each) => !told.includes(each)).slice(0, MOST_HIDDEN);
  const answers = new Set(hidden.map(answer)).size;
  if (hidden.length < MIN_HIDDEN || answers < MIN_ANSWERS)
    throw new Rejection(
      'no_values',
      `of ${steady.length} calls that answer the same every time, ${hidden.length} can be asked, with ${answers} answers`,
    );
  return { hidden, told };
}

function toldOf(ordered: readonly TestedCall[], write: (each: TestedCall) => string): TestedCall[] {
  const short = ordered.filter((each) => each.result.does !== 'raises' && write(each).length <= MOST_TOLD_CHARACTERS);
  // What differs most from nothing says most.
  return short.toSorted((a, b) => Math.min(60, write(b).length) - Math.min(60, write(a).length)).slice(0, MOST_TOLD);
}

/** An answer as text. */
export const answerOf = (
  { does, value, name }: TestedCall['result'],
  { render }: Pick<FunctionFacet, 'render'>,
): string => `${does} ${value ? render(value) : (name ?? '')}`;
