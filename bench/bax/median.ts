export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

export const round = (value: number, digits = 0): number => Math.round(value * 10 ** digits) / 10 ** digits;
