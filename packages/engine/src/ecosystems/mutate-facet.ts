import type { Mount, SandboxProvider } from '@assay/sandbox';

/**
 * What a mutant does to the source. `condition`: negated, always true, never true, or an operand less. `comparison`:
 * another limit, or the opposite. `element`: one less in a literal collection or in a call. `hunk`: a part of the change
 * left out.
 */
export const MUTATION_KINDS = [
  'condition',
  'comparison',
  'constant',
  'return',
  'statement',
  'element',
  'loop',
  'hunk',
] as const;
export type MutationKind = (typeof MUTATION_KINDS)[number];

/** A part of a text to be replaced, by UTF-16 offsets. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** A changed source. Edits do not overlap, and are in order. */
export interface SourceMutant {
  kind: MutationKind;
  edits: TextEdit[];
}

/** A rewrite that keeps the behaviour of a source, with a word on what it does. */
export interface SourceRewrite {
  title: string;
  edits: TextEdit[];
}

export interface MutableSource {
  /** Its name tells the dialect, such as TypeScript. */
  path: string;
  text: string;
  /** Lines, from 1, on which an edit may begin. */
  lines: ReadonlySet<number>;
  /** Edits made elsewhere, to be taken over where they are mutants. */
  proposed: readonly SourceMutant[];
}

/** Where a parser of the language runs, if it has to run in a sandbox. */
export interface MutateRuntime {
  environment: { mounts(options: { writable: boolean }): Mount[]; env: Record<string, string> };
  provider: SandboxProvider;
  signal?: AbortSignal;
}

/** How to change sources of the language, by offsets: everything around an edit stays as it was written. */
export interface MutateFacet {
  /**
   * Lists small changes of each source that alter what it does, without comments and documentation, each of which
   * parses, and then those proposed that parse and differ in more than comments, documentation and types. None for a source that cannot be parsed.
   */
  mutants(sources: readonly MutableSource[], runtime: MutateRuntime): Promise<SourceMutant[][]>;
  /**
   * Lists rewrites of each source that no caller can notice, such as renamed locals: what fails under one of them tests
   * how the source is written.
   */
  rewrites(
    sources: readonly Pick<MutableSource, 'path' | 'text' | 'lines'>[],
    runtime: MutateRuntime,
  ): Promise<SourceRewrite[][]>;
}

/** Returns a text with edits that do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, start) + replacement;
    at = end;
  }
  return result + text.slice(at);
}
