import type { ExecResult } from '../../contract.ts';

/** A program and its limits. */
export interface ProgramRequest {
  source: string;
  /** Texts by path, as one JSON object. */
  files: string;
  timeoutMs: number;
  memoryBytes: number;
}

/** Reads what a guest said about a program, which is foreign text. */
export function readProgramResult(text: string, outputBytes: number): ExecResult {
  const said: unknown = parseOrNull(text);
  const member = (key: string): unknown =>
    typeof said === 'object' && said !== null && Object.hasOwn(said, key)
      ? (said as Record<string, unknown>)[key]
      : undefined;
  const out = cut(member('stdout'), outputBytes);
  const err = cut(member('stderr'), outputBytes);
  const exitCode = member('exitCode');
  return {
    stdout: out.text,
    stderr: err.text,
    exitCode: typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode : 1,
    ...(member('timedOut') === true ? { timedOut: true } : {}),
    ...(member('outOfMemory') === true ? { outOfMemory: true } : {}),
    ...(out.cut || err.cut || member('truncated') === true ? { truncated: true } : {}),
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function cut(value: unknown, outputBytes: number): { text: string; cut: boolean } {
  if (typeof value !== 'string') return { text: '', cut: false };
  const bytes = Buffer.from(value.toWellFormed());
  if (bytes.length <= outputBytes) return { text: bytes.toString('utf8'), cut: false };
  // No half of a character.
  return {
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, outputBytes), { stream: true }),
    cut: true,
  };
}

export function timedOutAfter(timeoutMs: number): string {
  return `timed out after ${timeoutMs} ms`;
}
