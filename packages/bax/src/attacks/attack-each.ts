import type { HttpAnswer } from '../http/http-answer.ts';
import { HttpFailure } from '../http/http-failure.ts';
import { clean, type Finding } from '../scenario.ts';
import type { TestApp } from '../test-app.ts';
import { describeAnswer, describeRequest } from './answers.ts';

/** What came of one request; `told` is the line of evidence on it. */
export interface Exchange<Sent> {
  sent: Sent;
  answer: HttpAnswer | null;
  told: string;
}

export interface Attack<Sent> {
  /** What each request is made of. */
  requests: readonly Sent[];
  /** Where they are sent, for the evidence. */
  path: string;
  send(sent: Sent): Promise<HttpAnswer>;
  /**
   * What it did. Asked after each request, also where no answer came, which is inconclusive unless it finds something.
   */
  look(exchange: Exchange<Sent>): Promise<Finding>;
}

/**
 * Sends one POST after the other until one finds something. In the profile `upstream` whatever keeps one from its end
 * is thrown; in `strict` the others are sent all the same, and the test is inconclusive.
 */
export async function attackEach<Sent>(
  app: Pick<TestApp, 'profile'>,
  { requests, path, send, look }: Attack<Sent>,
): Promise<Finding> {
  let open: Finding | null = null;
  for (const sent of requests) {
    const request = describeRequest('POST', path, sent);
    const { answer, ended } = await answerOf(app, () => send(sent));
    const told = `${request}: ${ended}`;
    const finding = await look({ sent, answer, told });
    if (finding.outcome === 'vulnerable') return finding;
    if (finding.outcome === 'inconclusive') open ??= finding;
    else if (answer === null) open ??= { outcome: 'inconclusive', why: told };
  }
  return open ?? clean;
}

async function answerOf(
  { profile }: Pick<TestApp, 'profile'>,
  send: () => Promise<HttpAnswer>,
): Promise<{ answer: HttpAnswer | null; ended: string }> {
  try {
    const answer = await send();
    return { answer, ended: describeAnswer(answer) };
  } catch (error) {
    if (profile === 'upstream' || !(error instanceof HttpFailure)) throw error;
    return { answer: null, ended: error.message };
  }
}
