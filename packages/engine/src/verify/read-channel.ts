import { createHmac } from 'node:crypto';
import { TestStatus, type TestResult } from '@assay/protocol';

/**
 * Why a channel is not whole. `forged`: something else than the runner wrote on it. `too-large`: more than the caps;
 * what came after them was not read.
 */
export type ChannelProblem = 'no-start' | 'no-end' | 'count' | 'duplicate' | 'forged' | 'too-large';

export interface ChannelReport {
  /** By test id; of an id that came twice, the first. */
  results: Map<string, TestResult>;
  /** Test files that could not be loaded, or whose process died. */
  uncollected: string[];
  /** What code of the repository did in the runner that tests seldom need, each once. It proves nothing by itself. */
  signals: string[];
  started: boolean;
  ended: boolean;
  /** Empty: the channel is whole. Each at most once. */
  problems: ChannelProblem[];
}

const CODE_LENGTH = 32;
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_RECORDS = 200_000;
const MAX_SIGNALS = 50;
const MAX_SIGNAL_LENGTH = 200;
const MAX_CHANNEL_LENGTH = 256 * 1024 * 1024;
/** Beside `type`. A record has exactly these; `forged` is none of them on purpose: it makes the channel forged. */
const FIELDS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['start', ['runner']],
  ['test', ['id', 'status', 'durationMs']],
  ['uncollected', ['file', 'detail']],
  ['signal', ['detail']],
  ['end', ['tests']],
]);

/**
 * Decodes what a runner wrote on its result channel; `channel-format.md` has the format. Never throws, whatever the
 * text.
 */
export function readChannel(stdout: string, nonce: string): ChannelReport {
  const reader = new ChannelReader(nonce);
  if (stdout.length > MAX_CHANNEL_LENGTH) reader.note('too-large');
  const text = stdout.length > MAX_CHANNEL_LENGTH ? stdout.slice(0, MAX_CHANNEL_LENGTH) : stdout;
  let from = 0;
  while (from < text.length && reader.reads) {
    const to = text.indexOf('\n', from);
    if (to < 0) {
      reader.fragment();
      break;
    }
    reader.line(text.slice(from, to));
    from = to + 1;
  }
  return reader.finish();
}

class ChannelReader {
  reads = true;
  readonly #nonce: string;
  readonly #problems = new Set<ChannelProblem>();
  readonly #results = new Map<string, TestResult>();
  readonly #uncollected: string[] = [];
  readonly #signals = new Set<string>();
  #records = 0;
  #tests = 0;
  #started = false;
  #ended = false;

  constructor(nonce: string) {
    this.#nonce = nonce;
  }

  note(problem: ChannelProblem): void {
    this.#problems.add(problem);
  }

  line(line: string): void {
    const index = this.#records;
    this.#records += 1;
    if (line.length > MAX_LINE_LENGTH || this.#records > MAX_RECORDS) {
      this.note('too-large');
      this.reads = false;
      return;
    }
    const record = parseRecord(line, index, this.#nonce);
    const type = record?.get('type');
    if (!record || this.#ended || (type === 'start') === this.#started || !this.#accept(String(type), record))
      this.note('forged');
  }

  /** The last line lacks its end: a writer was cut off, which only a channel that is already over cannot explain. */
  fragment(): void {
    if (this.#ended) this.note('forged');
  }

  finish(): ChannelReport {
    if (!this.#started) this.note('no-start');
    if (!this.#ended) this.note('no-end');
    return {
      results: this.#results,
      uncollected: this.#uncollected,
      signals: [...this.#signals],
      started: this.#started,
      ended: this.#ended,
      problems: [...this.#problems],
    };
  }

  #accept(type: string, record: ReadonlyMap<string, unknown>): boolean {
    switch (type) {
      case 'start':
        this.#started = true;
        return isText(record.get('runner'));
      case 'test':
        return this.#acceptTest(record.get('id'), record.get('status'), record.get('durationMs'));
      case 'uncollected': {
        const file = record.get('file');
        if (!isText(file) || !isText(record.get('detail'))) return false;
        this.#uncollected.push(file);
        return true;
      }
      case 'signal': {
        const detail = record.get('detail');
        if (!isText(detail)) return false;
        if (this.#signals.size < MAX_SIGNALS) this.#signals.add(detail.slice(0, MAX_SIGNAL_LENGTH));
        return true;
      }
      case 'end': {
        const tests = record.get('tests');
        if (!isCount(tests)) return false;
        this.#ended = true;
        if (tests !== this.#tests) this.note('count');
        return true;
      }
      default:
        return false;
    }
  }

  #acceptTest(id: unknown, status: unknown, durationMs: unknown): boolean {
    const known = TestStatus.exclude(['missing']).safeParse(status);
    if (!isText(id) || id === '' || !known.success || !isDuration(durationMs)) return false;
    this.#tests += 1;
    if (this.#results.has(id)) this.note('duplicate');
    else this.#results.set(id, { id, status: known.data, durationMs });
    return true;
  }
}

/**
 * The code that a runner puts before the text of a line: who does not have the nonce cannot make it, or use that of
 * another line.
 */
export function channelCode(nonce: string, index: number, text: string): string {
  return createHmac('sha256', nonce).update(`${index}\n${text}`).digest('hex').slice(0, CODE_LENGTH);
}

/** The members of a record that has its code and exactly the fields of its type; null for anything else. */
function parseRecord(line: string, index: number, nonce: string): ReadonlyMap<string, unknown> | null {
  const text = line.slice(CODE_LENGTH + 1);
  if (line !== `${channelCode(nonce, index, text)} ${text}`) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const record = new Map<string, unknown>(Object.entries(value));
  const type = record.get('type');
  const fields = typeof type === 'string' ? FIELDS_OF.get(type) : undefined;
  const isWhole = fields?.every((field) => record.has(field)) && record.size === fields.length + 1;
  return isWhole ? record : null;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isDuration = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
