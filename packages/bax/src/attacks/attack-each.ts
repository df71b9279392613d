import type { HttpAnswer } from '../http/http-answer.ts';
import { HttpFailure } from '../http/http-failure.ts';
import { clean, type Finding } from '../scenario.ts';
import { describeAnswer, describeRequest } from './answers.ts';

/** One request and its answer; `told` is the line of evidence on them. */
export interface Exchange<Sent> {
  sent: Sent;
  answer: HttpAnswer | null;
  told: string;
}

export interface Attack<Sent> {
  /** The parts that each request is made of. */
  requests: readonly Sent[];
  /** Where they are sent, for the evidence. */
  path: string;
  send(sent: Sent): Promise<HttpAnswer>;
  /**
   * Looks for the effect of a request. Called after each, also when no answer came: that is inconclusive unless it
   * finds something.
   */
  look(exchange: Exchange<Sent>): Promise<Finding>;
}

/**
 * Sends one POST after the other until one finds something. Where one gets no answer the others are sent all the same,
 * and the test is inconclusive.
 */
export const attackEach = <Sent>(attack: Attack<Sent>): Promise<Finding> => sendEach(attack, answerOf);

/** The same, but whatever keeps a request from its answer is thrown. */
export const attackEachAsUpstream = <Sent>(attack: Attack<Sent>): Promise<Finding> => sendEach(attack, answered);

interface Ended {
  answer: HttpAnswer | null;
  ended: string;
}

async function sendEach<Sent>(
  { requests, path, send, look }: Attack<Sent>,
  settle: (send: () => Promise<HttpAnswer>) => Promise<Ended>,
): Promise<Finding> {
  let open: Finding | null = null;
  for (const sent of requests) {
    const request = describeRequest('POST', path, sent);
    const { answer, ended } = await settle(() => send(sent));
    const told = `${request}: ${ended}`;
    const finding = await look({ sent, answer, told });
    if (finding.outcome === 'vulnerable') return finding;
    if (finding.outcome === 'inconclusive') open ??= finding;
    else if (answer === null) open ??= { outcome: 'inconclusive', why: told };
  }
  return open ?? clean;
}

async function answered(send: () => Promise<HttpAnswer>): Promise<Ended> {
  const answer = await send();
  return { answer, ended: describeAnswer(answer) };
}

async function answerOf(send: () => Promise<HttpAnswer>): Promise<Ended> {
  try {
    return await answered(send);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { answer: null, ended: error.message };
  }
}
