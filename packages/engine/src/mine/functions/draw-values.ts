import { sha256 } from '@assay/files/content-digest';
import type { LiteralValue } from '../../ecosystems/function-facet.ts';

/** Numbers from 0 to 1, the same ones for the same seed. */
export class Lots {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  next(): number {
    this.#count += 1;
    return Number.parseInt(sha256(`${this.#seed}\n${this.#count}`).slice(0, 12), 16) / 0x1000000000000;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** One of some things; undefined when there are none. */
  of<T>(things: readonly T[]): T | undefined {
    return things[this.below(things.length)];
  }
}

/** Characters at which programs that read text do something. */
const PIECES = [
  ' ',
  '-',
  '_',
  '.',
  ',',
  '/',
  ':',
  '0',
  '7',
  'A',
  'z',
  'é',
  '"',
  "'",
  '\n',
  '%',
  '?',
  '#',
  '&',
  '=',
  '(',
  ')',
  '*',
  '!',
  '@',
  '\\',
  '[',
  ']',
  '  ',
  'ß',
];

type Change = (value: LiteralValue, lots: Lots, others: readonly LiteralValue[]) => LiteralValue;

const withText = (value: LiteralValue, text: string): LiteralValue => ({ ...value, text });

/** What becomes of a text. Code points stay whole. */
const TEXT_CHANGES: ((characters: string[], lots: Lots, others: readonly LiteralValue[]) => string[])[] = [
  () => [],
  (all) => [...all, ...all],
  (all, lots) => all.slice(0, 1 + lots.below(all.length)),
  (all, lots) => all.slice(lots.below(all.length + 1)),
  (all) => all.toReversed(),
  (all) => [...all.join('').toUpperCase()],
  (all, lots) => all.toSpliced(lots.below(all.length + 1), 0, lots.of(PIECES) ?? ''),
  (all, lots) => all.toSpliced(lots.below(all.length + 1), 0, lots.of(PIECES) ?? '', lots.of(PIECES) ?? ''),
  (all, lots) => all.toSpliced(lots.below(all.length), 1),
  (all, lots) => all.with(lots.below(all.length), lots.of(PIECES) ?? ''),
  (all, lots, others) => [...all, ...(lots.of(others.filter(({ kind }) => kind === 'str'))?.text ?? '')],
];

const changeText: Change = (value, lots, others) => {
  const all = [...(value.text ?? '')];
  const change = lots.of(all.length === 0 ? TEXT_CHANGES.slice(6, 8) : TEXT_CHANGES);
  return withText(value, (change?.(all, lots, others) ?? all).join(''));
};

const changeInteger: Change = (value, lots) => {
  const own = BigInt(/^-?\d+$/.test(value.text ?? '') ? (value.text ?? '0') : '0');
  const near = [
    own + 1n,
    own - 1n,
    -own,
    0n,
    own * 2n,
    own * 10n + 3n,
    BigInt(lots.below(20)),
    BigInt(lots.below(2000)),
  ];
  return withText(value, String(lots.of(near) ?? own));
};

const changeFraction: Change = (value, lots) => {
  const own = Number(value.text);
  const near = [own + 0.5, own - 1, -own, 0.25, own * 2, own / 4, lots.below(100) + 0.75].filter(Number.isFinite);
  const text = String(lots.of(near) ?? own);
  return withText(value, /[.e]/.test(text) ? text : `${text}.0`);
};

const changeMembers: Change = (value, lots, others) => {
  const all = value.items ?? [];
  const at = lots.below(all.length);
  const member = all[at];
  const changed = member ? changeValue(member, lots, others) : undefined;
  const ways = [
    all.toSpliced(at, 1),
    [...all, ...(changed ? [changed] : [])],
    ...(changed ? [all.with(at, changed), all.with(at, changed)] : []),
    all.toReversed(),
    [...all, ...all.slice(0, 1)],
    all.slice(0, Math.ceil(all.length / 2)),
    [],
  ];
  return { ...value, items: lots.of(ways) ?? all };
};

const changePairs: Change = (value, lots, others) => {
  const all = value.items ?? [];
  if (all.length < 2) return value;
  const at = 2 * lots.below(all.length / 2);
  const [key, member] = [all[at], all[at + 1]];
  if (!key || !member) return value;
  const ways = [
    all.toSpliced(at, 2),
    all.with(at + 1, changeValue(member, lots, others)),
    all.with(at, changeValue(key, lots, others)),
    [],
  ];
  return { ...value, items: lots.of(ways) ?? all };
};

const CHANGES: Readonly<Record<string, Change>> = {
  str: changeText,
  int: changeInteger,
  float: changeFraction,
  bool: (value) => withText(value, value.text === 'true' ? 'false' : 'true'),
  bytes: (value, lots) =>
    withText(value, (value.text ?? '').slice(0, 2 * lots.below((value.text ?? '').length / 2 + 1))),
  list: changeMembers,
  tuple: changeMembers,
  set: changeMembers,
  frozenset: changeMembers,
  dict: changePairs,
  bare: changePairs,
};

/** A value of the same kind that is mostly another one. `others`: values that were seen, to take parts from. */
export function changeValue(value: LiteralValue, lots: Lots, others: readonly LiteralValue[]): LiteralValue {
  return CHANGES[value.kind]?.(value, lots, others) ?? value;
}
