import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { sha256 } from '@assay/files/content-digest';
import { AnswerMeter, atLeast, BYTES_PER_TOKEN } from './answer-meter.ts';
import {
  askUpstream,
  parseJson,
  TooMuchHeld,
  type Asked,
  type AskOptions,
  type Question,
  type UpstreamAnswer,
} from './ask-upstream.ts';
import { NOTHING, type Reservation } from './budget.ts';
import { askAgain, countStream } from './check-service.ts';
import type { ModelLaneEntry, ModelLaneOutcome, ModelUsage } from './contract.ts';
import type { LaneDialect, Route } from './dialects/dialect.ts';
import { Ending, endingOf, stopEnding } from './ending.ts';
import { filterRequest, limitOutput, type FilteredRequest } from './filter-request.ts';
import type { LaneState } from './lane-state.ts';
import { newEntry } from './new-entry.ts';
import { relayStream, type RelayEnd, type UpstreamStream } from './relay-stream.ts';
import { calm, isRecord, Refusal, shown } from './rules.ts';
import { AttemptFailure } from './upstream-client.ts';

const MAX_PATH = 300;
const MAX_HEADERS = 100;
/** For the rest of a body that is refused. */
const DRAIN_MS = 1000;
const ACCEPTED = /^(?:\*\/\*|application\/json|text\/event-stream)$/;

/** One request to the lane, from its head to its entry in the record. */
export class Exchange {
  readonly #state: LaneState;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #started = performance.now();
  /** Ends the request upstream. */
  readonly #abort = new AbortController();
  /** Fires when the client leaves. */
  readonly #gone = new AbortController();
  readonly #entry: ModelLaneEntry;
  #dialect: LaneDialect | null = null;
  /** It showed no token, or came after the stop. */
  #idle = true;
  #held = 0;
  /** Whether the client was told to send its body. */
  #asked: boolean;
  /** Most that the request can cost. Null without a budget, and before the service is asked. */
  #owed: Readonly<ModelUsage> | null = null;
  #readingOn: NodeJS.Timeout | undefined;

  constructor(state: LaneState, request: IncomingMessage, response: ServerResponse) {
    this.#state = state;
    this.#request = request;
    this.#response = response;
    this.#asked = request.headers.expect === undefined;
    this.#entry = newEntry(
      state.nextSequence(),
      shown(request.method ?? ''),
      state.guard.masked(shown((request.url ?? '').slice(0, MAX_PATH))),
    );
  }

  /** Never throws. */
  async run(): Promise<void> {
    const { running, budget, held } = this.#state;
    running.add(this.#abort);
    const onClose = (): void => this.#leave();
    this.#response.once('close', onClose);
    try {
      await this.#handle();
    } catch (error) {
      const ending = endingOf(error, { signal: this.#abort.signal, state: this.#state, dialect: this.#dialect });
      await this.#drain();
      this.#end(ending);
    } finally {
      this.#response.removeListener('close', onClose);
      clearTimeout(this.#readingOn);
      running.delete(this.#abort);
      held.give(this.#held);
    }
    if (this.#entry.outcome === 'answered') budget.spent.answered += 1;
    if (this.#entry.outcome === 'refused') budget.spent.refused += 1;
    this.#entry.totalMs = this.#elapsed();
    this.#state.record(this.#entry, { idle: this.#idle });
  }

  /**
   * Handles a client that leaves. A service reports the cost last, so leaving early must not be a way not to pay: once
   * it was asked, its answer is read on for a while.
   */
  #leave(): void {
    this.#gone.abort();
    const end = (): void => this.#abort.abort(new Ending(0, 'client-gone', 'the client left'));
    if (this.#owed === null) end();
    else this.#readingOn = setTimeout(end, this.#state.settings.policy.readOnMs);
  }

  async #handle(): Promise<void> {
    const { dialect, route } = this.#admit();
    const received = await this.#readBody();
    const filtered = filterRequest(received, { dialect, route, models: this.#state.settings.models });
    Object.assign(this.#entry, { model: filtered.model, stream: filtered.stream, injected: filtered.injected });
    this.#entry.stripped.push(...filtered.stripped.map((note) => this.#state.guard.masked(note)));
    await this.#state.unchecked();
    const reservation = await this.#reserve(filtered);
    try {
      await this.#pass(dialect, filtered, reservation);
    } finally {
      reservation.release();
    }
  }

  async #pass(dialect: LaneDialect, filtered: FilteredRequest, { outputLimit, atMost }: Reservation): Promise<void> {
    if (outputLimit !== null) limitOutput(filtered, dialect, outputLimit, this.#state.settings.base);
    const body = Buffer.from(JSON.stringify(filtered.body));
    // Written otherwise in JSON, it passed the look at the bytes.
    if (this.#state.guard.isIn(body)) throw new Refusal('lane: the request holds a secret');
    this.#entry.request.body = filtered.body;
    const asked = this.#asking(dialect, filtered, body);
    const answer = await this.#ask(asked, atMost).catch((error: unknown) => {
      // Who leaves before the answer has nevertheless asked: else leaving would be a way not to pay.
      if (this.#abort.signal.aborted || error instanceof TooMuchHeld) {
        const question = { ...NOTHING, inputTokens: Math.ceil(body.length / BYTES_PER_TOKEN), estimated: true };
        this.#charge(filtered.model, this.#endedByLane() ? question : this.#atLeastOwed(question));
      }
      throw error;
    });
    await this.#answer(asked, answer);
  }

  /** Path, token and count. The body is not read yet. */
  #admit(): { dialect: LaneDialect; route: Route } {
    const { headers, method, url, rawHeaders } = this.#request;
    const found = method === 'POST' ? this.#state.route(url ?? '') : null;
    if (found === null)
      throw new Ending(404, 'refused', `lane: there is no ${this.#entry.method} ${this.#entry.path} here`);
    this.#dialect = found.dialect;
    this.#entry.dialect = found.dialect.name;
    if (rawHeaders.length / 2 > MAX_HEADERS) throw new Ending(400, 'refused', 'lane: too many headers');
    const stopped = this.#state.stopped;
    if (stopped !== null) throw stopEnding(stopped, this.#dialect);
    if (!this.#state.isToken(found.dialect.tokenOf(headers)))
      throw new Ending(400, 'refused', 'lane: the token is wrong or no longer valid');
    this.#idle = false;
    const spent = this.#state.budget.countRequest();
    if (spent !== null) throw stopEnding(this.#state.stop(spent), this.#dialect);
    if (this.#state.running.size > this.#state.settings.policy.concurrency)
      throw new Ending(400, 'refused', 'lane: too many requests at the same time');
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new Ending(400, 'refused', 'lane: requests must not be compressed');
    if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
      throw new Ending(400, 'refused', 'lane: requests must be JSON');
    return found;
  }

  async #readBody(): Promise<Buffer> {
    const { requestBytes } = this.#state.settings.policy;
    if (this.#request.headers.expect !== undefined) this.#response.writeContinue();
    this.#asked = true;
    const chunks: Buffer[] = [];
    for await (const chunk of this.#request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      this.#entry.request.bytes += chunk.length;
      if (this.#entry.request.bytes > requestBytes)
        throw new Ending(400, 'refused', `lane: the request is larger than ${requestBytes} bytes`);
      if (!this.#hold(chunk.length)) throw new Ending(400, 'refused', 'lane: too much at the same time');
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks);
    this.#entry.request.sha256 = sha256(body);
    if (this.#state.guard.isIn(body)) throw new Refusal('lane: the request holds a secret');
    return body;
  }

  #asking(dialect: LaneDialect, { model, stream }: FilteredRequest, body: Buffer): Asked {
    const { base, apiKey } = this.#state.settings;
    const accept = (this.#request.headers.accept ?? '')
      .split(',')
      .map((value) => value.split(';')[0]?.trim() ?? '')
      .filter((value) => ACCEPTED.test(value));
    const headers = {
      accept: accept.length > 0 ? accept.join(', ') : '*/*',
      ...dialect.headersUp(this.#request.headers, this.#entry.stripped),
      ...(apiKey === undefined ? {} : dialect.keyHeaders(apiKey)),
    };
    const url = dialect.address(base, this.#request.url ?? '');
    const question: Question = { dialect: dialect.name, url, headers, body, stream, signal: this.#abort.signal };
    return { dialect, model, question };
  }

  async #ask(asked: Asked, atMost: Reservation['atMost']): Promise<UpstreamAnswer> {
    const {
      guard,
      settings: { client, limiter, policy },
    } = this.#state;
    const options: AskOptions = {
      client,
      limiter,
      policy,
      guard,
      hold: (bytes) => this.#hold(bytes),
      onAsk: () => (this.#owed = atMost),
      onRetry: (detail, waitMs) => {
        // A failed attempt costs nothing, and there is no retry for a client that has left.
        this.#owed = null;
        if (this.#gone.signal.aborted) this.#leave();
        this.#entry.retries.push({ detail, waitMs });
        this.#state.budget.spent.retries += 1;
      },
    };
    try {
      return await askUpstream(asked.question, options);
    } catch (error) {
      if (!(error instanceof AttemptFailure) || error instanceof TooMuchHeld) throw error;
      return await this.#askAgain(asked, error, options);
    }
  }

  async #askAgain(asked: Asked, failure: AttemptFailure, options: AskOptions): Promise<UpstreamAnswer> {
    const endOthers = (): boolean =>
      this.#state.endOthers(
        this.#abort,
        new Ending(400, 'refused', 'lane: more requests at the same time than the service takes'),
      );
    const answer = await this.#state.alone(async () => {
      if (this.#state.stopped !== null) throw failure;
      return askAgain(this.#state, asked, failure, { ...options, endOthers }).catch((error: unknown) => {
        // Said here, as the client may have left meanwhile.
        if (error === failure) this.#state.stop({ kind: 'infrastructure', detail: failure.message });
        throw error;
      });
    });
    if (this.#abort.signal.aborted && answer.kind === 'stream') {
      answer.message.destroy();
      answer.release();
    }
    this.#abort.signal.throwIfAborted();
    return answer;
  }

  async #answer(asked: Asked, answer: UpstreamAnswer): Promise<void> {
    const { dialect, model, question } = asked;
    this.#entry.firstByteMs = this.#elapsed();
    const { policy } = this.#state.settings;
    const { held } = this.#state;
    const meter = new AnswerMeter(dialect, { stream: question.stream, limit: policy.recordedBytes, allowance: held });
    if (answer.kind === 'refused') return this.#passRefusal(answer, meter);
    if (answer.kind === 'whole') {
      meter.push(answer.bytes);
      meter.read(answer.json);
      if (this.#gone.signal.aborted) Object.assign(this.#entry, { outcome: 'client-gone', detail: 'the client left' });
      else {
        this.#send(200, 'application/json', answer.bytes);
        this.#entry.outcome = 'answered';
      }
    }
    const end = answer.kind === 'stream' ? await this.#relay(asked, answer, meter) : null;
    this.#entry.response = meter.finish(200, this.#state.guard.masked(shown(answer.contentType)));
    const usage = meter.usage(question.body.length);
    const escaped = end?.byClient === true && !(end.readToEnd && meter.settled) && !this.#endedByLane();
    this.#charge(model, escaped ? this.#atLeastOwed(usage) : usage);
  }

  /** No less than was set aside, where that is of a budget. */
  #atLeastOwed(usage: ModelUsage & { estimated: boolean }): ModelUsage & { estimated: boolean } {
    return this.#owed === null ? usage : atLeast(usage, this.#owed);
  }

  #charge(model: string, usage: ModelUsage & { estimated: boolean }): void {
    this.#entry.usage = { ...usage, usd: this.#state.charge(model, usage) };
  }

  async #relay(asked: Asked, answer: UpstreamStream, meter: AnswerMeter): Promise<RelayEnd> {
    const { policy } = this.#state.settings;
    if (!this.#gone.signal.aborted) {
      this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      this.#entry.status = 200;
    }
    const end = await relayStream(answer, {
      response: this.#response,
      meter,
      filter: this.#state.guard.filter(),
      policy,
      gone: this.#gone.signal,
      signal: this.#abort.signal,
    });
    answer.release();
    const { broken, byClient } = end;
    const ended = byClient ? null : this.#endedBy();
    this.#entry.outcome =
      ended?.outcome ?? (byClient ? 'client-gone' : broken === null ? 'answered' : 'infrastructure');
    this.#entry.detail =
      ended?.message ?? broken ?? (meter.complete ? null : 'the stream ended without its last event');
    if (!byClient && ended === null) await countStream(this.#state, broken === null ? null : asked);
    return end;
  }

  /** Whether everything ends, so that nothing more can be asked and an estimate does. */
  #endedByLane(): boolean {
    const { aborted, reason }: { aborted: boolean; reason: unknown } = this.#abort.signal;
    return aborted && !(reason instanceof Ending);
  }

  /** Returns why the lane itself ended the stream, or null when it did not. */
  #endedBy(): { outcome: ModelLaneOutcome; message: string } | null {
    const { aborted, reason }: { aborted: boolean; reason: unknown } = this.#abort.signal;
    if (!aborted) return null;
    if (reason instanceof Ending) return reason.outcome === 'client-gone' ? null : reason;
    const { stopped } = this.#state;
    return stopped && { outcome: stopped.kind === 'budget' ? 'budget' : 'infrastructure', message: stopped.detail };
  }

  /** A request that the service finds wrong: in its own words, but never with a status that a client tries again. */
  #passRefusal({ status, bytes, contentType }: Extract<UpstreamAnswer, { kind: 'refused' }>, meter: AnswerMeter): void {
    const readable = isRecord(parseJson(bytes)) && !this.#state.guard.isIn(bytes);
    const body = readable
      ? bytes
      : Buffer.from(JSON.stringify(this.#dialect?.errorBody(400, `the service refused the request (${status})`)));
    meter.push(body);
    this.#send(400, 'application/json', body);
    Object.assign(this.#entry, {
      outcome: 'upstream-refused',
      detail: `the service answered ${status}`,
      response: meter.finish(status, this.#state.guard.masked(shown(contentType))),
    });
  }

  async #reserve({ model, askedOutput }: FilteredRequest): Promise<Reservation> {
    const { budget, settings } = this.#state;
    for (;;) {
      const spent = this.#state.stopped ?? budget.exhausted();
      if (spent !== null) throw stopEnding(this.#state.stop(spent), this.#dialect);
      const reservation = budget.reserve(
        model,
        askedOutput,
        Math.ceil(this.#entry.request.bytes / BYTES_PER_TOKEN),
        settings.policy.maxOutputTokens,
      );
      if (reservation !== null) return reservation;
      await budget.turn(this.#abort.signal);
    }
  }

  #end({ status, outcome, message, words }: Ending): void {
    this.#entry.outcome = outcome;
    this.#entry.detail = this.#state.guard.masked(message);
    if (this.#response.headersSent || outcome === 'client-gone') {
      this.#response.destroy();
      return;
    }
    const said = calm(this.#state.guard.masked(words));
    const body =
      this.#dialect === null || status === 404 ? `${said}\n` : JSON.stringify(this.#dialect.errorBody(status, said));
    this.#send(status, body.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8', Buffer.from(body));
  }

  /** Takes the rest of a body: a connection that ends before its client has sent all may take the answer with it. */
  async #drain(): Promise<void> {
    if (this.#dialect === null || !this.#asked || this.#request.complete || this.#response.destroyed) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, DRAIN_MS);
    const ended = (async (): Promise<void> => {
      let left = this.#state.settings.policy.requestBytes;
      for await (const chunk of this.#request.iterator({ destroyOnReturn: false })) {
        left -= Buffer.isBuffer(chunk) ? chunk.length : 0;
        if (left < 0) return;
      }
    })().catch(() => {});
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
  }

  #send(status: number, type: string, body: Buffer): void {
    this.#entry.status = status;
    // An unread body would be taken for the next request.
    const close = this.#request.complete && status === 200 ? {} : { connection: 'close' };
    this.#response.writeHead(status, { 'content-type': type, 'content-length': body.length, ...close });
    this.#response.end(body);
  }

  #hold(bytes: number): boolean {
    if (!this.#state.held.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  #elapsed(): number {
    return Math.round((performance.now() - this.#started) * 10) / 10;
  }
}
