import { firstLine } from '../first-line.ts';

/** The first error in the submission that rustc names, with its line. */
export function explainRust(output: string, source: string): string {
  const [, message = '', path = '', line = ''] =
    /^error(?:\[E\d+\])?: (.*)(?:\n(?! *--> | *::: ).*)*\n? *(?:--> ([^\s:]+):(\d+))?/m.exec(
      output.slice(0, 100_000),
    ) ?? [];
  if (message === '') return firstLine(output);
  if (!path.endsWith('submission.rs') || Number(line) > source.split('\n').length)
    return firstLine(`the function cannot be called as the signature says: ${message}`);
  return firstLine(`line ${line}: ${message}`);
}
