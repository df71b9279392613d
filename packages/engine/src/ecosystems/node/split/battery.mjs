import { prepare, rowOf, satisfies, TimeLimitError, withTimeLimit } from './comparison.mjs';
import { shownValues, textsOf } from './shown-values.mjs';
import { splitStripped } from './stripped-id.mjs';

const TIME_OF_SITE_MS = 3000;
const MAX_ROWS = 50;
const ERRORS = [Error, TypeError, RangeError, SyntaxError, ReferenceError, URIError, EvalError];
const CONSTANTS = [
  ['undefined', () => undefined],
  ...[null, true, false, -1, ...Array.from({ length: 17 }, (_, number) => number), '', NaN].map((value) => [
    String(value === '' ? '""' : value),
    () => value,
  ]),
  ['[]', () => []],
  ['{}', () => ({})],
  ['new Map()', () => new Map()],
  ['new Set()', () => new Set()],
  ['a function', () => () => undefined],
];
const ORDER = ['weak', 'echo', 'contain', 'strong'];

/** Answers a `BatteryRequest`. */
export async function guess({ plan, files, sources, alsoShown = [] }) {
  await prepare(plan.expectations);
  const { functions, sites } = plan.expectations;
  const rows = rowsOf(plan);
  const everything = [...textsOf(files), ...textsOf(sources)].join('\n');
  const shown = shownValues(files);
  const toAll = alsoShown.flatMap((base) => shown(base));
  const answer = {};
  for (const [id, site] of Object.entries(sites)) {
    const echoes = [...shown(site.base), ...toAll];
    let worst = { level: 'strong' };
    for (const indices of rows.get(site.base) ?? []) {
      const row = rowOf(functions[site.base], indices);
      const found = guessSite(site, { row, echoes, everything });
      if (ORDER.indexOf(found.level) < ORDER.indexOf(worst.level)) worst = found;
    }
    answer[id] = worst;
  }
  return { sites: answer };
}

/** Rows that the plan's tests have, by the id without them. */
function rowsOf({ tests }) {
  const rows = new Map();
  for (const { stripped } of tests) {
    if (stripped === undefined) continue;
    const { base, rows: indices } = splitStripped(stripped);
    const known = rows.get(base) ?? [];
    if (known.length < MAX_ROWS) rows.set(base, [...known, indices]);
  }
  return rows;
}

function guessSite(site, { row, echoes, everything }) {
  const tries = { weak: weakGuesses(site), echo: echoGuesses(site, echoes), contain: textGuesses(site, everything) };
  for (const [level, guesses] of Object.entries(tries)) {
    const found = firstThatHolds(site, guesses, row);
    if (found !== null) return { level, guess: found.slice(0, 200) };
  }
  return { level: 'strong' };
}

/** What says how a run ended: with a value, or an error of every kind. */
function outcomes({ call }) {
  if (call === 'value' || call === 'response') return ['value'];
  if (call === 'resolves') return ['resolved'];
  if (call === 'quiet') return ['none', 'thrown'];
  return [call === 'rejects' ? 'rejected' : 'thrown'];
}

function* weakGuesses(site) {
  for (const kind of outcomes(site)) {
    for (const [name, make] of CONSTANTS) yield { name, kind, make };
    for (const Kind of ERRORS) yield { name: `new ${Kind.name}()`, kind, make: () => new Kind('') };
    // A class can be called anything.
    yield { name: 'an object of every class', kind, make: () => new Error(''), isAnyClass: true };
  }
}

function* echoGuesses(site, echoes) {
  for (const kind of outcomes(site)) {
    for (const { name, make } of echoes) {
      yield { name, kind, make };
      if (kind === 'value' || kind === 'resolved') continue;
      const value = make();
      if (typeof value === 'string')
        yield { name: `new Error(${name})`, kind, make: () => new Error(value), isAnyClass: true };
    }
  }
}

function* textGuesses(site, everything) {
  for (const kind of outcomes(site)) {
    yield { name: 'a text of everything', kind, make: () => everything };
    for (const Kind of ERRORS)
      yield {
        name: `new ${Kind.name}(a text of everything)`,
        kind,
        make: () => new Kind(everything),
        isAnyClass: true,
      };
  }
}

function firstThatHolds(site, guesses, row) {
  const check = () => {
    for (const { name, kind, make, isAnyClass } of guesses) {
      try {
        const leaves = Array.from({ length: Math.max(1, site.leaves) }, make);
        if (satisfies(site, { kind, leaves, row, isAnyClass })) return name;
      } catch {
        // It does not hold.
      }
    }
    return null;
  };
  try {
    return withTimeLimit(TIME_OF_SITE_MS, check);
  } catch (error) {
    if (error instanceof TimeLimitError) return null;
    throw error;
  }
}
