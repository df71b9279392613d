import { TooMuchHeld } from './ask-upstream.ts';
import { RequestFault } from './check-service.ts';
import type { ModelLaneOutcome, ModelLaneStop } from './contract.ts';
import type { LaneDialect } from './dialects/dialect.ts';
import type { LaneState } from './lane-state.ts';
import { Refusal } from './rules.ts';
import { AttemptFailure } from './upstream-client.ts';

/** Ends a request before an answer of the service does. */
export class Ending extends Error {
  readonly status: number;
  readonly outcome: ModelLaneOutcome;
  /** Message to the client. The record may say more. */
  readonly words: string;

  constructor(status: number, outcome: ModelLaneOutcome, message: string, words = message) {
    super(message);
    this.status = status;
    this.outcome = outcome;
    this.words = words;
  }
}

/** The end of a request to a lane that is stopped, in the dialect's way of telling it. */
export function stopEnding({ kind, detail }: ModelLaneStop, dialect: LaneDialect | null): Ending {
  if (kind === 'budget') return new Ending(dialect?.budgetStatus ?? 400, 'budget', `lane: ${detail}`);
  if (kind === 'revoked') return new Ending(400, 'refused', 'lane: the token is wrong or no longer valid');
  if (kind === 'requests') return new Ending(400, 'budget', `lane: ${detail}`);
  return new Ending(
    400,
    'infrastructure',
    `lane: ${detail}`,
    'lane: the model cannot be asked any more, as its service failed',
  );
}

/** The end of a request that threw. Stops the lane when the service failed for good. */
export function endingOf(
  error: unknown,
  { signal, state, dialect }: { signal: AbortSignal; state: LaneState; dialect: LaneDialect | null },
): Ending {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof Ending) return reason;
  if (signal.aborted) return stopEnding(state.stopped ?? { kind: 'revoked', detail: '' }, dialect);
  if (error instanceof Refusal) return new Ending(400, 'refused', error.message);
  if (error instanceof TooMuchHeld) return new Ending(400, 'refused', `lane: ${error.message}`);
  if (error instanceof RequestFault)
    return new Ending(
      400,
      'upstream-refused',
      `lane: the service fails at this request and answers others: ${error.message}`,
      'lane: the service fails at this request and answers others',
    );
  // The client's own retries would fare no better than the lane's.
  if (error instanceof AttemptFailure)
    return stopEnding(state.stop({ kind: 'infrastructure', detail: error.message }), dialect);
  // A fault of the lane's own, which nothing but this request shows: it may have been made for that.
  return new Ending(
    400,
    'refused',
    `lane: the request cannot be passed on (${error instanceof Error ? error.name : 'error'})`,
  );
}
