import type { Sentence, SentenceSource } from '@assay/protocol';
import { sentencesOf } from '../harden/sentences.ts';
import type { Undisclosed } from '../harden/undisclosed-symbols.ts';

/** What an instruction says of the problem. */
export interface Statement {
  title: string;
  /** Markdown, paragraphs apart by an empty line. */
  body: string;
  /** The title and the body, sentence by sentence in their order, each with its source. */
  sentences: Sentence[];
  /** How much it tells of what hidden tests ask for, and how much not; absent when it tells nothing. */
  behaviour?: { told: number; held_back: number };
  /** Names and texts disclosed only because hidden tests demand them. */
  disclosed: Undisclosed[];
}

export type Told = Omit<Statement, 'disclosed'>;

/** Makes a statement of one source. */
export function toldBy(source: SentenceSource, title: string, body: string): Told {
  return { title, body, sentences: [{ text: title, source }, ...sentencesFrom(source, body)] };
}

/** Appends paragraphs of another source. An empty text changes nothing. */
export function withParagraphs<Kind extends Told>(statement: Kind, source: SentenceSource, text: string): Kind {
  if (text.trim() === '') return statement;
  return {
    ...statement,
    body: `${statement.body}\n\n${text.trim()}`.trim(),
    sentences: [...statement.sentences, ...sentencesFrom(source, text)],
  };
}

/** Appends a list, after words that lead to it. */
export function withItems<Kind extends Told>(
  statement: Kind,
  source: SentenceSource,
  { lead, items }: { lead: string; items: readonly string[] },
): Kind {
  // What an item has beyond its first line belongs to it.
  const list = items.map((item) => `- ${item.replace(/\n(?!\n|$)/g, '\n  ')}`).join('\n');
  return {
    ...statement,
    body: `${statement.body}\n\n${lead}\n\n${list}`.trim(),
    sentences: [...statement.sentences, ...[lead, ...items].map((text) => ({ text, source }))],
  };
}

const sentencesFrom = (source: SentenceSource, text: string): Sentence[] =>
  sentencesOf(text).map((sentence) => ({ text: sentence, source }));
