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

/** What a title says of the rest of the work, behind the problem. */
const TAIL =
  /(?:[,;.]| and| \+| &)\s+(?:also )?(?:add(?:s|ed|ing)?|updat(?:e|es|ed|ing)|fix(?:es|ed)?|creat(?:e|es|ed|ing)|optimi[sz](?:e|es|ed)|clean(?:s|ed)? ?up|improv(?:e|es|ed))\s+(?:(?!to\b|for\b|of\b|in\b|from\b)[\w-]+ ){0,3}(?:tests?|test ?cases?|docs?|doc ?strings?|code|typings|coverage)(?: (?:for (?:it|this|that)|on \w+|too))?(?=\s*(?:\(?#\d+\)?)?[\s.]*$)/i;

/** A title without what it says of tests, documentation and the like behind the problem. */
export const withoutTail = (title: string): string => title.replace(TAIL, '');
