import type { SubmissionLanguage } from '../../run-tests/case-outcome.ts';
import { looksLikeModule, transformSource } from '../../languages/javascript/transform-source.ts';

/** A submission as a plain script. Transformed only where that is needed: at once when it is a module, else when it does not parse as it is. */
export class SubmissionScript {
  readonly #source: string;
  #script: string | null;

  constructor(source: string, language: SubmissionLanguage) {
    this.#source = source;
    this.#script = language === 'typescript' || looksLikeModule(source) ? null : source;
  }

  /** `run` answers with an outcome as JSON; when that says that the source does not parse, it is run once more, transformed. */
  attempt(run: (script: string) => string): string {
    if (this.#script === null) return this.#transformed(run, null);
    const text = run(this.#script);
    return this.#script === this.#source && saysSyntaxError(text) ? this.#transformed(run, text) : text;
  }

  #transformed(run: (script: string) => string, before: string | null): string {
    try {
      this.#script = transformSource(this.#source);
    } catch (error) {
      return before ?? JSON.stringify({ failed: `SyntaxError: ${error instanceof Error ? error.message : 'it does not parse'}` });
    }
    return run(this.#script);
  }
}

function saysSyntaxError(text: string): boolean {
  return text.startsWith('{"failed":') && text.endsWith(',"syntax":true}');
}
