import { harmlessText } from '@assay/protocol/harmless-text';

const LONGEST = 300;

/** Of what a compiler says, the first line that is no heading. */
export function firstLine(output: string): string {
  const line =
    output
      .slice(0, 100_000)
      .split('\n')
      .map((each) => each.trim())
      .find((each) => each !== '' && !each.startsWith('#') && !each.startsWith('/')) ?? '';
  return harmlessText(line.slice(0, LONGEST));
}
