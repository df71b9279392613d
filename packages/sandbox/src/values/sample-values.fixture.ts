/** A generator of whole numbers below `limit`, the same for the same seed. */
export function seededRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const TEXTS = [
  '',
  'a',
  'ä',
  '\u{1f600}',
  '\ud800',
  '\udc00x',
  '__proto__',
  'constructor',
  'toString',
  '$type',
  'then',
  '\0',
  '"\\',
  '\u2028',
  'x'.repeat(300),
];
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e21,
  5e-324,
  2 ** 53,
  -(2 ** 31),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

/** A value of any kind that has a tagged form, up to some depth. */
export function sampleValue(random: (limit: number) => number, depth = 4): unknown {
  const text = (): string => TEXTS[random(TEXTS.length)] ?? '';
  const many = <T>(make: () => T): T[] => Array.from({ length: random(4) }, make);
  const below = (): unknown => sampleValue(random, depth - 1);
  const leaves = [
    () => text(),
    () => NUMBERS[random(NUMBERS.length)],
    () => random(2) === 0,
    () => null,
    () => undefined,
    () => BigInt(random(2 ** 31)) ** 3n,
    () => new Date(random(2 ** 31) * 1000),
    () => new Date(Number.NaN),
    () => new Uint8Array(many(() => random(256))),
    () => new Float64Array(many(() => random(9) / 4)),
    () => new BigInt64Array(many(() => BigInt(random(9)))),
    () => /a[/]\n"/giu,
    () => Object.assign(new Error(text()), { name: text() }),
  ];
  const containers = [
    () => many(below),
    () => Object.assign(new Array(3), { 1: below() }),
    () => new Map(many(() => [below(), below()])),
    () => new Set(many(below)),
    () => Object.fromEntries(many(() => [text(), below()])),
    () => ({ $type: below(), other: below() }),
    () => Object.assign(Object.create(null), { a: below() }),
    () => cyclic(below()),
  ];
  const makers = depth <= 0 || random(3) === 0 ? leaves : containers;
  return makers[random(makers.length)]?.();
}

function cyclic(value: unknown): unknown {
  const map = new Map<unknown, unknown>([['value', value]]);
  const outer: Record<string, unknown> = { map, list: [value] };
  map.set('up', outer);
  (outer['list'] as unknown[]).push(outer['list']);
  return outer;
}
