import { AnswerMeter } from './answer-meter.ts';
import { askUpstream, type Asked, type AskOptions, type Question, type UpstreamAnswer } from './ask-upstream.ts';
import { limitOutput } from './filter-request.ts';
import type { LaneState } from './lane-state.ts';
import { passedBytes } from './relay-stream.ts';
import { AttemptFailure } from './upstream-client.ts';

/** Output limit of the lane's own question, in tokens. Services refuse much smaller ones. */
const OWN_OUTPUT = 1024;
/** Size limit of the answer to it. */
const OWN_BYTES = 4 * 1024 * 1024;
/** Attempts beyond those of a client's request, so that a used-up quota per minute is available again. */
const MORE_ATTEMPTS = 2;
/** Number of rounds in which the service has to answer the lane and fail at the request. */
const ROUNDS = 2;

/** Thrown when the service fails at this request but answers others, so that the service is not to blame. */
export class RequestFault extends Error {}

/**
 * Whose fault it is that a request failed for good. Nothing that an agent sends may look like a service that is out of
 * order, so the lane asks something small of its own, and the request once more. Answers with what the request now
 * gets. Throws {@link RequestFault}, or the failure when the service does not answer the lane either. `endOthers` ends
 * the client's other requests, which may be why; false when there were none. Goes on when the client leaves: some
 * clients wait for a minute only.
 */
export async function askAgain(
  state: LaneState,
  asked: Asked,
  failure: AttemptFailure,
  { endOthers, ...options }: AskOptions & { endOthers: () => boolean },
): Promise<UpstreamAnswer> {
  const signal = state.ending;
  const question = { ...asked.question, signal };
  for (let round = 0; round < ROUNDS; round += 1) {
    const answers = async (): Promise<boolean> => answersOwn(state, asked, signal);
    if (!(await answers()) && !(endOthers() && (await answers()))) throw failure;
    options.onRetry(`${failure.message}; then the service answered a small question of the lane`, 0);
    try {
      return await askUpstream(question, { ...options, policy: { ...options.policy, attempts: 1 } });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AttemptFailure)) throw error;
    }
  }
  throw new RequestFault(failure.message);
}

/**
 * Counts a stream that has ended; `broken`: the request whose stream broke, null for one that ended well. Too many in a
 * row stop the lane.
 */
export async function countStream(state: LaneState, broken: Asked | null): Promise<void> {
  state.lastBroken = broken;
  const inRow = state.countStream(broken !== null);
  if (broken === null || inRow < state.settings.policy.brokenStreams) return;
  const detail = `${inRow} streams of the service broke in a row`;
  const isRequest = await state.alone(async () => state.stopped === null && breaksAgain(state, broken, state.ending));
  state.stop(
    isRequest
      ? { kind: 'budget', detail: `${detail}, at requests that it fails at while it answers others` }
      : { kind: 'infrastructure', detail },
  );
}

/**
 * Once the client asks no more: whether the service failed at the last thing that it asked, and it is no fault of the
 * request.
 */
export async function lastFailed(state: LaneState, signal: AbortSignal | undefined): Promise<boolean> {
  await state.unchecked();
  if (state.stopped !== null || state.lastOutcome !== 'infrastructure') return false;
  const asked = state.lastBroken;
  // An earlier stream broke, but a later one ended well.
  if (asked === null) return false;
  return !(await state.alone(() =>
    breaksAgain(state, asked, signal === undefined ? state.ending : AbortSignal.any([signal, state.ending])),
  ));
}

/**
 * The same for a stream that broke after its first byte: true when it breaks again, and one of the lane's own does not.
 */
async function breaksAgain(state: LaneState, asked: Asked, signal: AbortSignal): Promise<boolean> {
  if (!(await answersOwn(state, asked, signal))) return false;
  const { policy } = state.settings;
  const late = AbortSignal.timeout(policy.answerMs);
  const question = { ...asked.question, signal: AbortSignal.any([signal, late]) };
  return !(await goesThrough(state, { ...asked, question }, policy.responseBytes).catch(() => false));
}

async function answersOwn(
  state: LaneState,
  { dialect, model, question: { stream } }: Asked,
  signal: AbortSignal,
): Promise<boolean> {
  const { base, apiKey, policy } = state.settings;
  const { target, body } = dialect.small(model, stream);
  limitOutput({ body, injected: [] }, dialect, OWN_OUTPUT, base);
  dialect.force(body, []);
  const headers = {
    accept: '*/*',
    ...dialect.headersUp({}, []),
    ...(apiKey === undefined ? {} : dialect.keyHeaders(apiKey)),
  };
  const question: Question = {
    dialect: dialect.name,
    url: dialect.address(base, target),
    headers,
    body: Buffer.from(JSON.stringify(body)),
    stream,
    signal,
  };
  return await goesThrough(state, { dialect, model, question }, Math.min(OWN_BYTES, policy.responseBytes));
}

/** Asks and reads the whole answer, whose cost counts. Throws the signal's reason. */
async function goesThrough(
  state: LaneState,
  { dialect, model, question }: Asked,
  responseBytes: number,
): Promise<boolean> {
  const {
    client,
    limiter,
    policy: { attempts, ...others },
  } = state.settings;
  const policy = { ...others, responseBytes, attempts: attempts + MORE_ATTEMPTS };
  const meter = new AnswerMeter(dialect, { stream: question.stream, limit: 0, allowance: state.held });
  try {
    const answer = await askUpstream(question, {
      client,
      limiter,
      policy,
      guard: state.guard,
      hold: () => true,
      onRetry: () => {},
    });
    if (answer.kind === 'refused') return false;
    if (answer.kind === 'whole') {
      meter.push(answer.bytes);
      meter.read(answer.json);
    } else {
      try {
        for await (const _ of passedBytes(answer, { meter, filter: state.guard.filter(), policy }))
          question.signal.throwIfAborted();
      } finally {
        answer.release();
      }
    }
    return true;
  } catch {
    question.signal.throwIfAborted();
    return false;
  } finally {
    meter.finish(0, '');
    if (meter.bytes > 0) state.charge(model, meter.usage(question.body.length));
  }
}
