import type { FrameworkPrompt } from '../framework.ts';

/** The files of an answer by path, or why there are none, in one line. */
export type ParsedResponse = { files: ReadonlyMap<string, string> } | UnusableAnswer;

export interface UnusableAnswer {
  invalid: string;
  /** It names a path outside of its directory, or one that is no name of a file. */
  unsafePath?: true;
}

/** The properties of a framework that parsers use. */
export type AnswerForm = Pick<FrameworkPrompt, 'codeFile' | 'language'>;
