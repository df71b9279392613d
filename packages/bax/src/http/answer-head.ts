import { HttpFailure } from './http-failure.ts';
import { type Wire } from './wire.ts';

const LINE_BYTES = 65_536;
const HEADER_LINES = 100;

/** The headers of an answer. Names are found in any case; one that came twice reads as both, joined by `, `. */
export class AnswerHeaders {
  /** As they came: original case, order and repetition; one character a byte. */
  readonly list: readonly (readonly [name: string, value: string])[];

  constructor(list: readonly (readonly [name: string, value: string])[]) {
    this.list = list;
  }

  get(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  all(name: string): string[] {
    const wanted = name.toLowerCase();
    return this.list.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value);
  }
}

export type AnswerHead = { readonly status: number; readonly reason: string; readonly headers: AnswerHeaders };

/** An integer as Python's `int()` reads it; null for what it refuses. */
export function pythonInteger(text: string): number | null {
  const bare = text.trim();
  return /^[-+]?\d+(?:_\d+)*$/.test(bare) ? Number(bare.replaceAll('_', '')) : null;
}

async function headLine(wire: Wire): Promise<Buffer> {
  const line = await wire.line(LINE_BYTES + 1);
  if (line.length > LINE_BYTES)
    throw new HttpFailure('garbage', `a line of the head is longer than ${LINE_BYTES} bytes`, 'head');
  return line;
}

function parseStatusLine(line: string): { status: number; reason: string } {
  const [, version = '', code = '', rest = ''] =
    /^[\s\x1c-\x1f\x85]*([^\s\x1c-\x1f\x85]+)[\s\x1c-\x1f\x85]+([^\s\x1c-\x1f\x85]+)([^]*)/.exec(line) ?? [];
  const status = pythonInteger(code);
  if (!version.startsWith('HTTP/') || status === null || status < 100 || status > 999) {
    throw new HttpFailure('garbage', 'no status line', 'head');
  }
  if (!/^HTTP\/(?:0\.9$|1\.)/.test(version)) throw new HttpFailure('garbage', 'another version of HTTP', 'head');
  return { status, reason: rest.trim() };
}

async function readHeaderText(wire: Wire): Promise<string> {
  const lines: Buffer[] = [];
  for (;;) {
    const line = await headLine(wire);
    lines.push(line);
    if (lines.length > HEADER_LINES)
      throw new HttpFailure('garbage', `more than ${HEADER_LINES} lines of headers`, 'head');
    if (line.length === 0 || /^\r?\n$/.test(line.toString('latin1'))) return Buffer.concat(lines).toString('latin1');
  }
}

/** Headers up to the first line that is none: what follows it is lost, as it is to Python. */
function parseHeaders(text: string): AnswerHeaders {
  const list: [string, string][] = [];
  let open = false;
  for (const line of text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []) {
    const last = list.at(-1);
    if (/^[ \t]/.test(line)) {
      if (open && last !== undefined) last[1] += line;
      continue;
    }
    open = false;
    if (line.startsWith('From ') || line.startsWith(':')) continue;
    const [, name, value = ''] = /^([!-9;-~]+):(.*)$/s.exec(line) ?? [];
    if (name === undefined) break;
    list.push([name, value.replace(/^[ \t]+/, '')]);
    open = true;
  }
  return new AnswerHeaders(list.map(([name, value]) => [name, value.replace(/[\r\n]+$/, '')] as const));
}

/** The head of the answer, past every `100 Continue`. */
export async function readHead(wire: Wire): Promise<AnswerHead> {
  wire.phase = 'head';
  for (;;) {
    const line = await headLine(wire);
    if (line.length === 0) throw new HttpFailure('closed', 'the connection was closed without an answer', 'head');
    const status = parseStatusLine(line.toString('latin1'));
    const text = await readHeaderText(wire);
    if (status.status !== 100) return { ...status, headers: parseHeaders(text) };
  }
}
