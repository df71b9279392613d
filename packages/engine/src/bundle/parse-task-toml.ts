import { parse, TomlError } from 'smol-toml';
import { AssayError, TaskToml } from '@assay/protocol';
import { ecosystemOf } from '../ecosystems/index.ts';
import { recordedDigest } from './bundle-digest.ts';

/**
 * Parses task.toml. `file` only appears in errors. Throws `TASK_INVALID` with file, line and field, and
 * `UNKNOWN_ECOSYSTEM` for one that is not registered.
 */
export function parseTaskToml(text: string, file: string): TaskToml {
  const result = TaskToml.safeParse(parseSyntax(text, file));
  if (!result.success) {
    const issue = result.error.issues[0];
    const path = issue?.path ?? [];
    throw new AssayError('TASK_INVALID', {
      file,
      line: lineOfKey(text, path),
      field: path.join('.') || 'task.toml',
      detail: issue?.message ?? 'is not what it should be',
    });
  }
  const digest = ['metadata', 'assay', 'digest'];
  if (recordedDigest(text) !== result.data.metadata.assay.digest) {
    throw new AssayError('TASK_INVALID', {
      file,
      line: lineOfKey(text, digest),
      field: digest.join('.'),
      detail: 'must stand in the file exactly once, on a line `digest = "sha256:…"`',
    });
  }
  checkRunner(result.data, text, file);
  return result.data;
}

function checkRunner({ metadata: { assay } }: TaskToml, text: string, file: string): void {
  if (assay.kind !== 'repository') return;
  const { tests } = ecosystemOf(assay.test.ecosystem);
  ecosystemOf(assay.environment.ecosystem);
  if (tests.runners.includes(assay.test.runner)) return;
  const path = ['metadata', 'assay', 'test', 'runner'];
  throw new AssayError('TASK_INVALID', {
    file,
    line: lineOfKey(text, path),
    field: path.join('.'),
    detail: `${assay.test.ecosystem} has no runner called ${assay.test.runner}, but ${tests.runners.join(', ')}`,
  });
}

function parseSyntax(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [summary] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new AssayError(
      'TASK_INVALID',
      { file, line: error.line, field: `column ${error.column}`, detail: summary ?? 'no TOML' },
      { cause: error },
    );
  }
}

/**
 * Returns the line (from 1) of a key in a TOML document; if it is missing, that of the nearest table that should hold
 * it, or 1. Scans by line, which is enough to point a person to the place.
 */
export function lineOfKey(text: string, path: readonly PropertyKey[]): number {
  const wanted = path.filter((part) => typeof part === 'string');
  let table: string[] = [];
  let best = { line: 1, depth: 0 };
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) table = keyParts(header);
    const key =
      header === undefined
        ? /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)?.[1]
        : undefined;
    if (header === undefined && key === undefined) continue;
    const here = key === undefined ? table : [...table, ...keyParts(key)];
    if (here.length > best.depth && here.every((part, position) => part === wanted[position]))
      best = { line: index + 1, depth: here.length };
  }
  return best.line;
}

const keyParts = (key: string): string[] =>
  (key.match(/[\w-]+|"[^"]*"|'[^']*'/g) ?? []).map((part) => part.replace(/^["']|["']$/g, ''));
