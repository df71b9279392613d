import { randomBytes } from 'node:crypto';

/**
 * How the host talks to a driver. All is lines of ASCII. Requests come on descriptor 4: first the greeting, a JSON
 * object with `nonce` and what the language adds, then one `{"id", "input"}` for each case, the next only after the
 * answer to the one before. Answers go to descriptor 3: `NONCE WORD JSON`, where the word is `started` (the driver
 * runs), `loaded`, `refused` (`{"reason", "syntax"}`: nothing can be called), or the id of a case, with its outcome.
 * Other lines are noise.
 *
 * Nonce and ids keep noise apart; they are no secret that anything depends on. A submission that forges an answer has
 * returned a value, and cannot answer a case before it is given, as it does not know the id.
 */
export const STARTED = 'started';
export const LOADED = 'loaded';
export const REFUSED = 'refused';

/**
 * The driver's command, started so that the submission finds neither channel where it looks: its standard input is
 * empty, and what it prints goes to standard error.
 */
export function driverCommand(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', 'exec "$@" 3>&1 1>&2 4<&0 0</dev/null', 'sh', ...argv];
}

export function greetingLine(nonce: string, greeting: Record<string, unknown>): string {
  return `${asciiJson({ ...greeting, nonce })}\n`;
}

/** `input` is JSON already. */
export function caseLine(id: string, input: string): string {
  return `${escapeBeyondAscii(`{"id":"${id}","input":${input}}`)}\n`;
}

export function freshWord(): string {
  return randomBytes(12).toString('hex');
}

export interface AnswerLine {
  word: string;
  text: string;
}

/** Null for noise. */
export function readAnswerLine(line: string, nonce: string): AnswerLine | null {
  if (!line.startsWith(`${nonce} `)) return null;
  const end = line.indexOf(' ', nonce.length + 1);
  return end === -1 ? null : { word: line.slice(nonce.length + 1, end), text: line.slice(end + 1) };
}

export interface RefusedAnswer {
  reason: string;
  syntax: boolean;
}

/** Foreign text: a submission may have written it. */
export function readRefusal(text: string): RefusedAnswer {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'reason' in parsed && typeof parsed.reason === 'string') {
      return { reason: parsed.reason.slice(0, 10_000), syntax: 'syntax' in parsed && parsed.syntax === true };
    }
  } catch {
    // Said below.
  }
  return { reason: 'the submission cannot be loaded', syntax: false };
}

/** Drivers read bytes, and a lone surrogate has none. */
function asciiJson(value: unknown): string {
  return escapeBeyondAscii(JSON.stringify(value));
}

function escapeBeyondAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
