import { messageBlocks } from './message-blocks.ts';

/** Splits a paragraph into its sentences. */
export function splitSentences(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl)\.)\s+(?=[A-Z"'`([*_<#@])/);
}

/** Splits a text in Markdown into sentences, items and headings in their order. A block of code is one piece. */
export function sentencesOf(text: string): string[] {
  return messageBlocks(text)
    .flatMap(({ kind, text: block }) => (kind === 'code' ? [block] : splitSentences(block)))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** The place that a title names before what it says of it, with the colon: `reader: ` of `reader: keep empty rows`; empty without one. */
export const scopeOf = (sentence: string): string =>
  /^(?:[\w.$,/() -]|`[^`\n]*`){2,40}:\s+(?=\S)/.exec(sentence)?.[0] ?? '';
