import { after } from 'node:test';
import type { FakeModelRequest, FakeReply as WireReply, PlannedAnswer } from '../../lanes/src/fake-model/contract.ts';
import { checkScript } from '../../lanes/src/fake-model/script.ts';
import { serveFakeModel, type FakeModelService } from '../../lanes/src/fake-model/serve-fake-model.ts';
import { startFakeModel, type FakeModelOptions } from '../../lanes/src/fake-model/start-fake-model.ts';

export type { FakeModelRequest } from '../../lanes/src/fake-model/contract.ts';
export type FakeModelServer = FakeModelService;

/** The server's reaction to one request. A string is the text of a good answer. */
export type FakeReply =
  | string
  | { kind: 'answer'; text: string; stop?: 'end' | 'truncated' | 'refused'; servedBy?: string }
  /** An HTTP error, or any body of ours. */
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string> }
  /** The head says more bytes than come; then the connection ends. */
  | { kind: 'cut' }
  /** The connection ends without a byte. */
  | { kind: 'reset' }
  /** Nothing comes until the server is closed. */
  | { kind: 'silent' }
  | { kind: 'slow'; milliseconds: number; then: FakeReply };

export type FakeResponder = (request: FakeModelRequest) => FakeReply | Promise<FakeReply>;

/**
 * A model as a real HTTP server on loopback, in every dialect of the published fake model. `respond` decides each
 * answer; an array is answered in order, its last entry again and again.
 */
export function startFakeModelServer(respond: FakeResponder | readonly FakeReply[]): Promise<FakeModelServer> {
  const decide: FakeResponder =
    typeof respond === 'function' ? respond : ({ index }) => respond[Math.min(index, respond.length - 1)] ?? '';
  return serveFakeModel({ respond: async (request) => wireReply(await decide(request), request) });
}

/** The same, closed when the running test is over. To be called in a test, not in a hook. */
export async function useFakeModelServer(respond: FakeResponder | readonly FakeReply[]): Promise<FakeModelServer> {
  const server = await startFakeModelServer(respond);
  after(() => server.close());
  return server;
}

/**
 * The published fake model for a script, closed when the running test is over. To be called in a test, not in a hook.
 */
export async function useFakeModel(options: FakeModelOptions): Promise<FakeModelServer> {
  const model = await startFakeModel(options);
  after(() => model.close());
  return model;
}

function wireReply(reply: FakeReply, request: FakeModelRequest): WireReply {
  if (typeof reply === 'string') return wireReply({ kind: 'answer', text: reply }, request);
  if (reply.kind === 'slow') {
    const later = wireReply(reply.then, request);
    return { ...later, waitMs: reply.milliseconds + later.waitMs };
  }
  const plain: WireReply = {
    label: reply.kind,
    answer: answerOf(reply, request),
    style: 'full',
    waitMs: 0,
    paceMs: 0,
    chunk: 24,
  };
  const [entry] = reply.kind === 'answer' ? [] : checkScript({ turns: [faultOf(reply)] }).turns;
  return entry?.fault === undefined ? plain : { ...plain, fault: entry };
}

function faultOf(reply: Exclude<FakeReply, string | { kind: 'answer' | 'slow' }>): object {
  if (reply.kind !== 'status') return { fault: reply.kind };
  const { status, headers = {}, body = '{"error": {"message": "a fault on demand"}}' } = reply;
  return { fault: 'status', status, headers, body };
}

const STOPS = { end: 'end', truncated: 'length', refused: 'refusal' } as const;

function answerOf(reply: Exclude<FakeReply, string>, request: FakeModelRequest): PlannedAnswer {
  const { text, stop = 'end', servedBy = request.model } = reply.kind === 'answer' ? reply : { text: '' };
  return {
    id: 'fake',
    model: servedBy,
    think: '',
    say: text,
    calls: [],
    stop: STOPS[stop],
    usage: { input: 1, output: 1, cached: 0, reasoning: 0 },
  };
}
