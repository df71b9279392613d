import { firstLine } from '../first-line.ts';

/** The first error in the submission that the Go compiler names. `lines` is the length of the submission. */
export function explainGo(output: string, source: string, functionName: string): string {
  const lines = source.split('\n').length;
  const match = /submission\.go:(\d+)(?::\d+)?: (.*)/.exec(output);
  if (!match) return firstLine(output);
  const [, line = '', message = ''] = match;
  if (Number(line) <= lines) return firstLine(`line ${line}: ${message}`);
  return /^undefined|undefined \(type/.test(message)
    ? `the submission defines no function ${functionName}`
    : firstLine(message);
}
