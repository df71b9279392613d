import { type AnswerHeaders } from './answer-head.ts';
import { type CookieJar } from './cookie-jar.ts';

/** A complete answer, after redirects, as python-requests would hold it. */
export class HttpAnswer {
  readonly status: number;
  readonly reason: string;
  readonly headers: AnswerHeaders;
  /** Without gzip and deflate. */
  readonly body: Buffer;
  /** The cookies of this answer alone, not those of redirects before it. */
  readonly cookies: CookieJar;
  /** Redirects that were followed. */
  readonly redirects: number;
  /** From the start of the call to the last byte, in milliseconds. */
  readonly elapsedMs: number;

  constructor(
    parts: Pick<HttpAnswer, 'status' | 'reason' | 'headers' | 'body' | 'cookies' | 'redirects' | 'elapsedMs'>,
  ) {
    this.status = parts.status;
    this.reason = parts.reason;
    this.headers = parts.headers;
    this.body = parts.body;
    this.cookies = parts.cookies;
    this.redirects = parts.redirects;
    this.elapsedMs = parts.elapsedMs;
  }

  /** A status below 400. */
  get ok(): boolean {
    return this.status < 400;
  }

  /**
   * The body as text: by the charset of its content type; `text/…` without one is Latin-1; anything else is UTF-8 or,
   * where it is not that, Latin-1.
   */
  text(): string {
    const type = this.headers.get('content-type') ?? '';
    const charset = /;\s*charset\s*=\s*["']?([^;"'\s]+)/i.exec(type)?.[1]?.toLowerCase();
    const media = type.split(';')[0] ?? '';
    if (charset !== undefined) return decode(this.body, charset);
    if (media.includes('text')) return this.body.toString('latin1');
    if (media.includes('application/json')) return decode(this.body, 'utf-8');
    return strictUtf8(this.body) ?? this.body.toString('latin1');
  }

  /**
   * The body as JSON, whatever its content type says, with the NaN and the infinities that Python writes and reads.
   * @throws SyntaxError for a body that is none.
   */
  json(): unknown {
    const text = this.text();
    try {
      return JSON.parse(text);
    } catch (error) {
      if (!/NaN|Infinity/.test(text)) throw error;
      return JSON.parse(
        text.replace(STRING_OR_NO_NUMBER, (token) => NO_NUMBERS[token] ?? token),
        (_key, value: unknown) => (typeof value === 'string' ? (MEANT.get(value) ?? value) : value),
      );
    }
  }
}

/** A string is matched so that nothing in it is. */
const STRING_OR_NO_NUMBER = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;
/** Stand in for them, as JSON has none of them. */
const NO_NUMBERS: Readonly<Record<string, string>> = Object.fromEntries(
  ['NaN', 'Infinity', '-Infinity'].map((word) => [word, JSON.stringify(`\0${word}`)]),
);
const MEANT: ReadonlyMap<string, number> = new Map(
  ['NaN', 'Infinity', '-Infinity'].map((word) => [`\0${word}`, Number(word)]),
);

function strictUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function decode(bytes: Buffer, charset: string): string {
  if (/^(?:iso-?8859-1|latin-?1|l1)$/.test(charset)) return bytes.toString('latin1');
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }
}
