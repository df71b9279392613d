import { harmlessText } from '@assay/protocol/harmless-text';

const LONGEST = 300;

/** Returns the first line of a compiler's output that is not a heading. */
export function firstLine(output: string): string {
  const line =
    output
      .slice(0, 100_000)
      .split('\n')
      .map((each) => each.trim())
      .find((each) => each !== '' && !each.startsWith('#') && !each.startsWith('/')) ?? '';
  return harmlessText(line.slice(0, LONGEST));
}
