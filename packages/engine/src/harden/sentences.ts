import { messageBlocks } from './message-blocks.ts';

const END = /(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl)\.)\s+(?=[A-Z"'`([*_<#@])/;

/** Splits a paragraph into its sentences. Code in backticks belongs to one. */
export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  let isOpen = false;
  for (const piece of paragraph.split(END)) {
    if (isOpen) sentences.push(`${sentences.pop()} ${piece}`);
    else sentences.push(piece);
    if ((piece.match(/`+/g) ?? []).length % 2 === 1) isOpen = !isOpen;
  }
  return isOpen ? paragraph.split(END) : sentences;
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
  /^(?:`[^`\n]+`|[\w.$,/() -]{2})(?:[\w.$,/() -]|`[^`\n]*`){0,38}:\s+(?=\S)/.exec(sentence)?.[0] ?? '';
