import type { HttpAnswer } from '../http/http-answer.ts';

/** For messages to a person: the status, and the begin of the body, on one line. Untrusted text. */
export function describeAnswer(answer: HttpAnswer): string {
  const body = answer.text().replace(/\s+/g, ' ').trim();
  return `it answered ${answer.status}${body === '' ? '' : ` ${JSON.stringify(body.slice(0, 160))}`}`;
}

/** A field of a JSON object; undefined when it lacks it or is no object. Throws `SyntaxError` for what is no JSON. */
export function fieldOf(answer: HttpAnswer, name: string): unknown {
  const value = answer.json();
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** A request, for evidence. */
export function describeRequest(method: string, path: string, sent: unknown): string {
  return `${method} ${path} with ${JSON.stringify(sent).slice(0, 240)}`;
}
