import { openChatModel } from '@assay/lanes/models/chat-model';
import type { Retry } from '@assay/lanes/models/contract';
import { AssayError } from '@assay/protocol';

export interface Asked {
  endpoint: string;
  model: string;
  system: string;
  maxTokens: number;
  temperature?: number | undefined;
  /** Seconds of one request. Default 600: a whole backend may take a slow model some minutes. */
  requestTimeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** An answer, or why the service gave none. */
export type Response = { text: string } | { unanswered: string };

const REQUEST_SECONDS = 600;
const ATTEMPTS = 4;
/** Then the service is taken to be out of order: the other samples would wait for it in vain. */
const MOST_IN_A_ROW = 8;

/** `progress`: of what is tried again, and why. */
export type Ask = (user: string, progress: (text: string) => void) => Promise<Response>;

/**
 * Asks one model for one backend after another. The answer's promise rejects with what a user has to mend, and with
 * `MODEL_FAILED` when the service failed again and again. Throws `BAD_OPTION` for an address that cannot be one.
 */
export function openAsking({
  endpoint,
  model,
  system,
  maxTokens,
  temperature,
  requestTimeout = REQUEST_SECONDS,
  signal,
}: Asked): Ask {
  const { username, password } = new URL(endpoint);
  if (username !== '' || password !== '')
    throw new AssayError('BAD_OPTION', {
      option: '--endpoint',
      detail: 'give it without credentials; the key is in ASSAY_MODEL_KEY',
    });
  const chat = openChatModel({
    endpoint,
    model,
    timeoutMs: requestTimeout * 1000,
    attempts: ATTEMPTS,
    allowEmpty: true,
  });
  let inARow = 0;
  return async (user, progress) => {
    const onRetry = ({ attempt, why }: Retry): void => progress(`asking again, ${attempt} of ${ATTEMPTS}: ${why}`);
    try {
      const { text } = await chat.complete({ system, user, maxTokens, onRetry, temperature, signal });
      inARow = 0;
      return { text };
    } catch (error) {
      signal?.throwIfAborted();
      if (!AssayError.is(error)) throw error;
      if (error.kind !== 'infrastructure' && error.code !== 'MODEL_OVERFLOW') throw error;
      inARow += 1;
      const why = String(error.details['detail']);
      if (inARow >= MOST_IN_A_ROW)
        throw new AssayError(
          'MODEL_FAILED',
          {
            endpoint: String(error.details['endpoint']),
            detail: `${why} (${inARow} times in a row; --resume goes on)`,
          },
          { cause: error },
        );
      return { unanswered: why };
    }
  };
}
