import type { FrameworkPrompt } from '../framework.ts';

/** The files of an answer by path, or why there are none, in one line. */
export type ParsedResponse = { files: ReadonlyMap<string, string> } | { invalid: string };

/** What a parser looks at in a framework. */
export type AnswerForm = Pick<FrameworkPrompt, 'codeFile' | 'language'>;
