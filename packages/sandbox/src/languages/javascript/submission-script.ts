import type { SubmissionLanguage } from '../../run-tests/case-outcome.ts';
import { looksLikeModule, transformSource } from './transform-source.ts';

/**
 * A submission as a plain script. Transformed only where that is needed: at once when it is a module, else when it does
 * not parse as it is.
 */
export class SubmissionScript {
  readonly #source: string;
  #script: string | null;

  constructor(source: string, language: SubmissionLanguage) {
    this.#source = withoutHead(source);
    this.#script = language === 'typescript' || looksLikeModule(this.#source) ? null : this.#source;
  }

  /**
   * `run` answers with an outcome as JSON; when that says that the source does not parse, it is run once more,
   * transformed.
   */
  attempt(run: (script: string) => string): string {
    if (this.#script === null) return this.#transformed(run);
    const text = run(this.#script);
    return this.#script === this.#source && saysSyntaxError(text) ? this.#transformed(run) : text;
  }

  #transformed(run: (script: string) => string): string {
    try {
      this.#script = transformSource(this.#source);
    } catch (error) {
      return JSON.stringify({ failed: `SyntaxError: ${sayWhere(error)}` });
    }
    return run(this.#script);
  }
}

function saysSyntaxError(text: string): boolean {
  return text.startsWith('{"failed":') && text.endsWith(',"syntax":true}');
}

/** Strips what only a file may have: a byte order mark and a line for the shell. Lines keep their numbers. */
export function withoutHead(source: string): string {
  return source.replace(/^\uFEFF/, '').replace(/^(\s*)#![^\n]*/, '$1');
}

function sayWhere(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it does not parse';
  return message.replace(/ \((\d+):\d+\)$/, ' (line $1)');
}
