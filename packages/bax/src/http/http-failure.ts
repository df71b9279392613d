/**
 * Why a request has no answer that counts. In the words of python-requests: `refused`, `closed` and `garbage` are its
 * ConnectionError (`garbage` also its InvalidHeader), `incomplete` its ChunkedEncodingError, `undecodable` its
 * ContentDecodingError, `redirects` its TooManyRedirects. `elsewhere`: a redirect to what is not the application;
 * `request`: it cannot be sent as asked; `timeout`, `too-large` and `aborted` are bounds of ours.
 */
export type HttpFailureKind =
  | 'refused'
  | 'closed'
  | 'garbage'
  | 'incomplete'
  | 'undecodable'
  | 'redirects'
  | 'elsewhere'
  | 'request'
  | 'timeout'
  | 'too-large'
  | 'aborted';

/** How far an exchange came: nothing yet, the request on its way, waiting for or reading the head, reading the body. */
export type HttpPhase = 'connect' | 'send' | 'head' | 'body';

const UNREACHED: ReadonlySet<HttpFailureKind> = new Set(['refused', 'closed', 'garbage']);

/**
 * An exchange with the application that did not end in an answer. What it did wrong is a finding, never an error of
 * ours.
 */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly kind: HttpFailureKind;
  readonly phase: HttpPhase;

  constructor(kind: HttpFailureKind, message: string, phase: HttpPhase = 'body') {
    super(message);
    this.kind = kind;
    this.phase = phase;
  }

  /** No answer at all: a server that starts may still come up. */
  get unreached(): boolean {
    return UNREACHED.has(this.kind);
  }
}
