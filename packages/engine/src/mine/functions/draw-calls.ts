import type { FunctionFacet, LiteralValue, RecordedCall, SourceFunction } from '../../ecosystems/function-facet.ts';
import { changeValue, Lots } from './draw-values.ts';

/** Calls to begin with, and their length at most. */
const MOST_SEEN = 60;
const MOST_CHARACTERS = 240;
const TRIES = 12;

export interface DrawRequest {
  found: SourceFunction;
  facet: Pick<FunctionFacet, 'renderCall' | 'valuesOf'>;
  /** What the suite calls it with. What it expects there stands in T0 for anyone to read. */
  seen: readonly RecordedCall[];
  /** Of a model. */
  proposed: readonly RecordedCall[];
  seed: string;
  most: number;
}

/**
 * Draws calls that the suite does not make: those that were proposed, then calls of the suite with an argument or two
 * changed or taken from another call; without any, values of the parameters' types. The same ones for the same seed.
 */
export function drawCalls({ found, facet, seen, proposed, seed, most }: DrawRequest): RecordedCall[] {
  const lots = new Lots(seed);
  const write = (call: RecordedCall): string => facet.renderCall(found, call);
  const known = new Set(seen.map(write));
  const short = unique(seen, write).filter((call) => write(call).length <= MOST_CHARACTERS);
  const typed = unique(callsOfTypes(found, facet, lots), write);
  const bases = short.length === 0 ? [...proposed, ...typed] : [...sample(short, MOST_SEEN, lots), ...proposed];
  const drawn = new Map<string, RecordedCall>();
  const add = (call: RecordedCall): void => {
    const text = write(call);
    if (!known.has(text) && text.length <= MOST_CHARACTERS) drawn.set(text, call);
  };
  for (const call of [...proposed, ...(short.length === 0 ? typed : [])]) add(call);
  const values = bases.flatMap(({ positional }) => positional);
  for (let tries = 0; bases.length > 0 && drawn.size < most && tries < most * TRIES; tries += 1) {
    const base = lots.of(bases);
    if (base) add(vary(base, bases, { lots, values }));
  }
  return [...drawn.values()].slice(0, most);
}

function vary(
  base: RecordedCall,
  bases: readonly RecordedCall[],
  { lots, values }: { lots: Lots; values: readonly LiteralValue[] },
): RecordedCall {
  const positional = [...base.positional];
  const named = base.named.map(([name, value]): [string, LiteralValue] => [name, value]);
  for (let count = 1 + lots.below(3); count > 0; count -= 1) {
    const at = lots.below(positional.length + named.length);
    const own = positional[at];
    const pair = named[at - positional.length];
    const borrowed = lots.of(bases)?.positional[at];
    if (own) positional[at] = borrowed && lots.below(4) === 0 ? borrowed : changeValue(own, lots, values);
    else if (pair) pair[1] = changeValue(pair[1], lots, values);
  }
  return { positional, named };
}

/** Calls with values of the types of the parameters that have to be given; none when one of them is not known. */
function callsOfTypes(found: SourceFunction, facet: Pick<FunctionFacet, 'valuesOf'>, lots: Lots): RecordedCall[] {
  const needed = found.parameters.filter(({ isOptional }) => !isOptional);
  const values = (needed.length === 0 ? found.parameters.slice(0, 1) : needed).map(facet.valuesOf);
  if (values.some((each) => each.length === 0)) return [];
  return Array.from({ length: 24 }, () => ({ positional: values.flatMap((each) => lots.of(each) ?? []), named: [] }));
}

function unique(calls: readonly RecordedCall[], write: (call: RecordedCall) => string): RecordedCall[] {
  return [...new Map(calls.map((call) => [write(call), call])).values()];
}

/** Some of a list, spread over it. */
function sample<T>(all: readonly T[], most: number, lots: Lots): T[] {
  if (all.length <= most) return [...all];
  const offset = lots.next();
  return Array.from({ length: most }, (_, index) => all[Math.floor(((index + offset) * all.length) / most)]).filter(
    (each) => each !== undefined,
  );
}
