import { AssayError } from '@assay/protocol/errors';
import type { ExecResult, Sandbox, SandboxProvider } from '../contract.ts';
import type { RunPlan } from '../languages/language.ts';
import { readOutcome, type CaseOutcome, type CaseRequest } from './case-outcome.ts';
import { describeEnd } from './describe-end.ts';
import { DriverProcess, type Waited } from './driver-process.ts';
import {
  caseLine,
  driverCommand,
  freshWord,
  greetingLine,
  LOADED,
  readAnswerLine,
  readRefusal,
  REFUSED,
  STARTED,
  type RefusedAnswer,
} from './driver-protocol.ts';

const MIB = 1024 * 1024;
/** Output of one process, noise included. A value has at most 4 MiB. */
export const OUTPUT_BYTES = 32 * MIB;
const ANSWER_CHARACTERS = 12 * MIB;
/** Time until the driver's first word. A busy machine with gVisor needs seconds. */
const START_TIMEOUT_MS = 60_000;
/** Least time to load the submission. A case with a longer time limit gives it as much. */
const LOAD_TIMEOUT_MS = 10_000;
/** A submission that brings its process down more often than this is not started again. */
const MOST_RESTARTS = 100;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const FLOOD = 'it wrote more than can be an answer';

type Given = CaseRequest['cases'][number];
type Loading = { driver: DriverProcess } | { failed: string } | { unparsed: string };

/** Runs the cases of one submission in one sandbox, one after the other, in as few processes as it allows. */
export class CaseRun {
  readonly #sandbox: Sandbox;
  readonly #plan: RunPlan;
  readonly #request: CaseRequest;
  readonly #provider: SandboxProvider;
  readonly #outcomes: CaseOutcome[] = [];

  constructor(sandbox: Sandbox, plan: RunPlan, request: CaseRequest, provider: SandboxProvider) {
    this.#sandbox = sandbox;
    this.#plan = plan;
    this.#request = request;
    this.#provider = provider;
  }

  run(): Promise<CaseOutcome[] | { unparsed: string }> {
    return this.#provider.interactive === true ? this.#runInteractive() : this.#runOneByOne();
  }

  async #runInteractive(): Promise<CaseOutcome[] | { unparsed: string }> {
    const { cases, signal } = this.#request;
    for (let starts = 0; this.#outcomes.length < cases.length; starts += 1) {
      signal?.throwIfAborted();
      if (starts > MOST_RESTARTS)
        return this.#fillWith(`not run: its process broke down ${MOST_RESTARTS} times before`);
      const loading = await this.#load();
      if ('unparsed' in loading) return loading;
      if ('failed' in loading) return this.#fillWith(loading.failed);
      // A restart that only long answers caused is no breakdown.
      if (await this.#runIn(loading.driver)) starts -= 1;
    }
    return this.#outcomes;
  }

  /** Runs cases until they or the process end. Returns whether the process was still well. */
  async #runIn(driver: DriverProcess): Promise<boolean> {
    try {
      for (let given = this.#nextCase(); given !== undefined; given = this.#nextCase()) {
        const id = freshWord();
        driver.send(caseLine(id, given.input), [id]);
        const waited = await driver.next(given.timeoutMs);
        this.#outcomes.push(outcomeOf(waited, given));
        if (waited.kind !== 'answer') return false;
        if (driver.nearlyFull) return true;
      }
      return true;
    } finally {
      await driver.stop();
      this.#request.signal?.throwIfAborted();
    }
  }

  #nextCase(): Given | undefined {
    return this.#request.cases[this.#outcomes.length];
  }

  async #load(): Promise<Loading> {
    const nonce = freshWord();
    const loadTimeout = Math.max(LOAD_TIMEOUT_MS, this.#nextCase()?.timeoutMs ?? 0);
    const driver = new DriverProcess(
      this.#sandbox,
      {
        argv: driverCommand(this.#plan.argv),
        nonce,
        outputBytes: OUTPUT_BYTES,
        answerCharacters: ANSWER_CHARACTERS,
        timeoutMs: this.#wholeTime(loadTimeout),
      },
      [STARTED, LOADED, REFUSED],
    );
    let loading: Loading | undefined;
    try {
      driver.send(greetingLine(nonce, this.#plan.greeting), [STARTED, LOADED, REFUSED]);
      loading =
        this.#readStart(await driver.next(this.#startTimeout)) ??
        readLoad(await driver.next(loadTimeout), driver, loadTimeout);
      return loading;
    } finally {
      if (loading === undefined || !('driver' in loading)) await driver.stop();
      this.#request.signal?.throwIfAborted();
    }
  }

  /** A driver that comes after the submission's own code has no more time than that. */
  get #startTimeout(): number {
    return this.#plan.driverFirst ? START_TIMEOUT_MS : LOAD_TIMEOUT_MS;
  }

  /** Null when it started. */
  #readStart(waited: Waited): { failed: string } | null {
    if (waited.kind === 'answer') return waited.word === STARTED ? null : { failed: 'the submission cannot be loaded' };
    const memory = waited.kind === 'ended' && waited.result.outOfMemory === true;
    if (!this.#plan.driverFirst || memory) return { failed: reasonOf(waited, this.#startTimeout) };
    if (waited.kind === 'ended') this.#throwMissing(waited.result);
    throw new AssayError('SANDBOX_START_FAILED', {
      provider: this.#provider.name ?? '',
      detail: reasonOf(waited, this.#startTimeout),
    });
  }

  #throwMissing({ exitCode, stderr }: ExecResult): void {
    if (exitCode !== 127 && exitCode !== 126) return;
    const detail = `${this.#plan.argv[0] ?? ''} cannot be run in its sandboxes: ${stderr.trim().slice(0, 200)}`;
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: this.#provider.name ?? '',
      detail,
      hint: `Install ${this.#plan.install} there.`,
    });
  }

  #wholeTime(loadTimeout: number): number {
    const rest = this.#request.cases.slice(this.#outcomes.length).reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
    return Math.min(
      LONGEST_TIMER_MS,
      Math.ceil(START_TIMEOUT_MS + loadTimeout + rest + 1000 * this.#request.cases.length),
    );
  }

  /** A process for each case, as this provider takes input only as a whole. The start of the process counts in. */
  async #runOneByOne(): Promise<CaseOutcome[] | { unparsed: string }> {
    for (let given = this.#nextCase(); given !== undefined; given = this.#nextCase()) {
      this.#request.signal?.throwIfAborted();
      const [nonce, id] = [freshWord(), freshWord()];
      const result = await this.#sandbox.exec('', {
        argv: driverCommand(this.#plan.argv),
        stdin: greetingLine(nonce, this.#plan.greeting) + caseLine(id, given.input),
        timeout: Math.ceil(given.timeoutMs + LOAD_TIMEOUT_MS),
        signal: this.#request.signal,
      });
      const answers = new Map(
        result.stdout
          .split('\n')
          .map((line) => readAnswerLine(line, nonce))
          .filter((line) => line !== null)
          .toReversed()
          .map(({ word, text }) => [word, text]),
      );
      const answer = answers.get(id);
      // Some providers keep no output of what they had to stop: then the time-out is all that is known, and a
      // submission can cause it.
      if (answer === undefined && !answers.has(STARTED) && result.timedOut !== true) {
        const start = this.#readStart({ kind: 'ended', result });
        if (start) return this.#fillWith(start.failed);
      }
      const refusal = answers.get(REFUSED);
      if (refusal !== undefined) return readRefused(readRefusal(refusal), (reason) => this.#fillWith(reason));
      const late = result.timedOut ? `timed out after ${given.timeoutMs} ms` : null;
      this.#outcomes.push(
        answer === undefined
          ? { kind: 'failed', reason: late ?? (result.truncated ? FLOOD : describeEnd(result)) }
          : readOutcome(answer),
      );
    }
    return this.#outcomes;
  }

  #fillWith(reason: string): CaseOutcome[] {
    while (this.#outcomes.length < this.#request.cases.length) this.#outcomes.push({ kind: 'failed', reason });
    return this.#outcomes;
  }
}

function readLoad(waited: Waited, driver: DriverProcess, timeoutMs: number): Loading {
  if (waited.kind !== 'answer')
    return {
      failed:
        waited.kind === 'late' ? `timed out after ${timeoutMs} ms while it was loaded` : reasonOf(waited, timeoutMs),
    };
  return waited.word === LOADED ? { driver } : readRefused(readRefusal(waited.text), (failed) => ({ failed }));
}

function readRefused<T>({ reason, syntax }: RefusedAnswer, otherwise: (reason: string) => T): T | { unparsed: string } {
  return syntax ? { unparsed: reason } : otherwise(reason);
}

function outcomeOf(waited: Waited, { timeoutMs }: Given): CaseOutcome {
  return waited.kind === 'answer' ? readOutcome(waited.text) : { kind: 'failed', reason: reasonOf(waited, timeoutMs) };
}

function reasonOf(waited: Exclude<Waited, { kind: 'answer' }>, timeoutMs: number): string {
  switch (waited.kind) {
    case 'late':
      return `timed out after ${timeoutMs} ms`;
    case 'flood':
      return FLOOD;
    default:
      return describeEnd(waited.result);
  }
}
