import type { SentenceSource } from '@assay/protocol';
import { choreOf } from '../harden/chore.ts';
import { findResidue, scrubInstruction, type ScrubContext } from '../harden/scrub-instruction.ts';
import { isOrder, withoutPatch, type ChangeWords } from '../harden/tells-patch.ts';
import { namesNewThing, tellsProblem } from '../harden/tells-problem.ts';
import type { SourceText } from './candidate.ts';
import { toldBy, withParagraphs, type Told } from './statement.ts';

export interface Gates {
  context: ScrubContext;
  /** What tells words about the change from words about the need. */
  words: ChangeWords;
  /** Whether a text quotes the change. */
  quotes(text: string): boolean;
}

export interface Composed {
  statement: Told;
  /** It tells what it is about, and what one observes. */
  subject: boolean;
  outcome: boolean;
}

interface Clean {
  source: SentenceSource;
  title: string;
  body: string;
}

/** Texts that are written for users. */
const ENTRIES = new Set<SentenceSource>([
  'changelog',
  'news fragment',
  'changeset',
  'version note',
  'issue',
  'advisory',
]);

/** A sentence that says nothing without the one before it. */
const DEPENDENT =
  /^(?:this|it|its|that|these|those|they|also|but|and|so|then|therefore|however|otherwise|thus|hence)\b/i;

/** What makes a line an item of a list. */
const BULLET = /^\s*(?:[-*+]|\d+[.)])\s+/;

/** More says nothing new, and a title that is a paragraph is none. */
const MAX_BODY = 6000;
const MAX_TITLE = 160;

/**
 * Makes one statement of all texts: each is cleared of what leads to the fix and of what tells the change; the first
 * that has a title gives it, and what others say beyond it follows. Null when nothing is left.
 */
export function composeStatement(texts: readonly SourceText[], gates: Gates): Composed | null {
  const clean = withoutOrders(
    withoutSquashes(texts)
      .map((text) => clear(text, gates))
      .filter((text) => text !== null),
  );
  const isTold = clean.some(({ title, body }) => isTitle(title) && tellsProblem(title, body).outcome);
  const best =
    clean.find(
      ({ title, body }) =>
        isTitle(title) && (tellsProblem(title, body).outcome || (isTold && namesNewThing(title) && hasName(title))),
    ) ??
    clean.find(({ title }) => isTitle(title) && tellsProblem(title, '').subject) ??
    clean.find(({ title }) => title !== '');
  if (!best) return null;
  let statement = toldBy(best.source, best.title, best.body);
  for (const other of clean) {
    if (other === best || (other.body === '' && !tellsProblem(other.title, '').outcome)) continue;
    const text = asParagraphs(other)
      .split(/\n\n+/)
      .filter((paragraph) => tellsProblem(paragraph, '').subject && !says(statement, paragraph))
      .join('\n\n');
    if (statement.body.length + text.length <= MAX_BODY) statement = withParagraphs(statement, other.source, text);
  }
  return { statement, ...tellsProblem(statement.title, statement.body) };
}

/** Words that an order and what users are told have in common at least, if they are about one thing. */
const MIN_COMMON = 2;

/** Drops titles of messages that are an order, where a text for users tells what comes of it. */
function withoutOrders(clean: readonly Clean[]): Clean[] {
  const entries = clean.filter(
    ({ source, title }) => ENTRIES.has(source) && isTitle(title) && tellsProblem(title, '').outcome,
  );
  return clean.flatMap((text) => {
    if (text.source !== 'message' || !isOrder(text.title)) return [text];
    const own = wordsOf(text.title);
    const isTold = entries.some(({ title, body }) => {
      const known = new Set(wordsOf(`${title} ${body}`));
      return own.filter((word) => known.has(word)).length >= MIN_COMMON;
    });
    return isTold ? (text.body === '' ? [] : [{ ...text, title: '' }]) : [text];
  });
}

/** A new thing with a name is the title of what others tell of it. */
const hasName = (title: string): boolean => tellsProblem(title, '').subject;
const isTitle = (title: string): boolean => title !== '' && title.length <= MAX_TITLE;

/** A text without what must not be told; null when nothing is left, or when what is left holds such a thing yet. */
function clear({ source, text }: SourceText, { context, words, quotes }: Gates): Clean | null {
  const scrubbed = scrubInstruction(text, context);
  const [subject = ''] = text.trimStart().split('\n', 1);
  // A branch whose own title told nothing but an id lists steps, unless the first item tells the problem.
  if (source === 'message' && isSquash(text) && scrubInstruction(subject, context).title === '') {
    const first = scrubInstruction(/^\* (.*)$/m.exec(text)?.[1] ?? '', context).title;
    if (first === '' || isStep(first) || choreOf(first) !== null || !tellsProblem(first, '').outcome) return null;
  }
  const forUsers = ENTRIES.has(source);
  const title = withoutPatch(scrubbed.title, words, { forUsers }).replace(BULLET, '').trim();
  const body = withoutPatch(source === 'message' ? withoutSteps(scrubbed.body) : scrubbed.body, words, { forUsers });
  const whole = `${title}\n\n${body}`.trim();
  if (whole === '' || quotes(whole) || findResidue(whole, context).length > 0) return null;
  if (title !== '') return { source, title, body };
  if (source === 'message' && isSquash(text)) return null;
  const [lead = '', ...rest] = body.split(/\n+/);
  const first = lead.replace(BULLET, '');
  if (DEPENDENT.test(first)) return { source, title: '', body };
  return { source, title: first.replace(/[.:;,]+$/, ''), body: rest.join('\n\n').trim() };
}

/**
 * Leaves of the message of a squashed branch only its title where something else tells the problem: its list is a diary
 * of the work.
 */
function withoutSquashes(texts: readonly SourceText[]): SourceText[] {
  const isTold = texts.some(
    ({ source, text: words }) => ENTRIES.has(source) && source !== 'version note' && tellsProblem(words, '').outcome,
  );
  return texts.map(({ source, text }) => {
    return {
      source,
      text: isTold && source === 'message' && isSquash(text) ? (text.trimStart().split('\n', 1)[0] ?? '') : text,
    };
  });
}

/** Whether a message lists the commits of a branch. */
const isSquash = (text: string): boolean => (text.match(/^\* \S/gm) ?? []).length >= 3;

/** Steps of work in the list of a squashed branch. */
const STEP =
  /^(?:fixup!|squash!|wip\b|revert|undo|one more|another|wording|review|nits?\b|updat|used?\b|using\b|drop\b|explicitly\b|switch|also\b|this is\b|i\b|re-?work|re-?write|remove|narrow|disambiguate|refin|structur|address|rebase|merge|clean|tidy|simplif|rename|move|apply|format|lint|typo|try|better|improve (?:code|naming|test)|[^\w\s`'"])/i;

/** Whether a message or an item tells what somebody did on the way, and not what came of it. */
export const isStep = (subject: string): boolean => STEP.test(subject);

/** Drops the items of a list that tell what somebody did, and not how the program behaves. */
function withoutSteps(body: string): string {
  return body
    .split('\n')
    .filter((line) => {
      const item = /^\s*[-*+]\s+(.*)$/.exec(line)?.[1];
      if (item === undefined || item.length > 160) return true;
      return !isStep(item) && choreOf(item) === null && tellsProblem(item, '').outcome;
    })
    .join('\n')
    .trim();
}

function asParagraphs({ title, body }: Clean): string {
  if (title === '') return body;
  const sentence = /[.!?:]$/.test(title) ? title : `${title}.`;
  return /^(?:\s*(?:[-*+]|\d+[.)])\s|```|\*\*|#| {4})/.test(body)
    ? `${sentence}\n\n${body}`
    : `${sentence} ${body}`.trim();
}

/** Whether a statement says already what a paragraph says: nearly all of its words stand there. */
function says({ title, body }: Told, paragraph: string): boolean {
  const known = new Set(wordsOf(`${title} ${body}`));
  const own = wordsOf(paragraph);
  return own.filter((word) => !known.has(word)).length <= own.length / 8;
}

const wordsOf = (text: string): string[] => [
  ...new Set((text.toLowerCase().match(/[a-z_$][\w$]{2,}/g) ?? []).map((word) => word.replace(/(?:e?s|ed|ing)$/, ''))),
];
