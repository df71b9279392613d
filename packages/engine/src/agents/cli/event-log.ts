import type { CliEvent } from './cli-agent.ts';
import { isRecord } from './event-fields.ts';

const LONGEST_LINE = 8 * 1024 * 1024;
const KEPT_EVENTS = 2000;
const KEPT_CHARACTERS = 16 * 1024 * 1024;

/**
 * Picks events of some types out of JSON lines that arrive in pieces. The input is foreign, so only a bounded part is
 * kept: the last.
 */
export class EventLog {
  readonly #types: ReadonlySet<string>;
  readonly #kept: Array<{ event: CliEvent; size: number }> = [];
  #size = 0;
  #rest = '';
  #skipping = false;
  #seen = 0;

  constructor(types: readonly string[]) {
    this.#types = new Set(types);
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
    if (this.#rest.length <= LONGEST_LINE) return;
    this.#rest = '';
    this.#skipping = true;
  }

  /** Takes whatever comes after the last line feed as a line too. */
  close(): void {
    this.#take(this.#rest);
    this.#rest = '';
  }

  get events(): CliEvent[] {
    return this.#kept.map(({ event }) => event);
  }

  /** Number of events of any type. */
  get seen(): number {
    return this.#seen;
  }

  #take(line: string): void {
    if (this.#skipping) {
      this.#skipping = false;
      return;
    }
    const event = line.startsWith('{') ? tryParse(line) : null;
    if (!isRecord(event) || typeof event['type'] !== 'string') return;
    this.#seen += 1;
    if (!this.#types.has(event['type'])) return;
    this.#kept.push({ event, size: line.length });
    this.#size += line.length;
    while (this.#kept.length > KEPT_EVENTS || this.#size > KEPT_CHARACTERS) this.#size -= this.#kept.shift()?.size ?? 0;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
