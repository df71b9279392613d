/**
 * A shuffled copy, always the same for the same items and seed: Fisher and Yates' method from the end, numbers by
 * mulberry32.
 */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const shuffled = [...items];
  const next = mulberry32(seed);
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor((next() * (last + 1)) / 0x1_0000_0000);
    [shuffled[last], shuffled[other]] = [shuffled[other] as Item, shuffled[last] as Item];
  }
  return shuffled;
}

/** A small generator of 32-bit numbers, in the public domain. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
