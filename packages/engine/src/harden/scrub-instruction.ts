import { normaliseLine } from './added-lines.ts';
import { messageBlocks, type MessageBlock } from './message-blocks.ts';
import { plainRoles } from './plain-roles.ts';
import { isCodeLike, quotesLine } from './quotes-gold.ts';
import { residueMatches, TRAILER, type ResidueContext } from './residue.ts';
import { revealText } from './reveal-text.ts';
import { splitSentences, withoutTail } from './sentences.ts';

export { findResidue, type AdvisoryContext, type Residue, type ResidueContext, type ResidueKind } from './residue.ts';
export { isThin } from './tells-problem.ts';
export { quotesGold } from './quotes-gold.ts';

export interface ScrubContext extends ResidueContext {
  projectNames: readonly string[];
  /** Names, titles and paths of hidden tests. */
  knownTestNames: readonly string[];
  /** Added lines of the reference solution. */
  goldLines: readonly string[];
}

export interface Scrubbed {
  title: string;
  body: string;
  /** The removed text, for a log; never shown to an agent. */
  removed: string[];
}

/** Longer texts are cut: a symptom needs no more, and patterns run over the text. */
const MAX_TEXT = 8000;
/** Marks the place of a removal. Words that only led there go as well. */
const MARK = '\u0001';
/** Marks the removal of a footnote or a parenthesis, which the text before it can do without. */
const GONE = '\u0002';
const TYPE_PREFIX =
  /^(?:(?:fix|feat|feature|bug|bugfix|hotfix|perf|refactor|chore|docs?|tests?|build|ci|style|revert|security|sec|deps?|wip|release|enh|enhancement|maint|tst|cln|rf|nf)(?:\([^)]*\))?!?\s*:\s*)+/i;
const TAGS = /^(?:\s*(?:\[[\w./ -]{1,30}\]|:[a-z_0-9+-]+:|[\p{Extended_Pictographic}]+))+[ :-]*/u;

/** Headings of sections about what was done, how it was tested and by whom, rather than about what was wrong. */
const NOISE_HEADING =
  /^(?:#+\s*|\*\*|__)?(?:the )?(?:changelogs?|changes|change ?log|release notes?|what'?s (?:new|changed)|what changed|what (?:does )?this (?:pr|change|commit) do(?:es)?|news|tests?(?: plan| added| cases?)?|testing|how (?:to|was this|has this been) tested?|test instructions|verification|check ?list|to-?do|type of change|reviewers?(?: notes)?|notes (?:to|for) reviewers?|references?|links?|see also|further reading|related(?: issues?| prs?)?|resources|credits?|acknowledge?ments?|thanks|solution|fix|the fix|proposed (?:fix|solution|changes)|implementation(?: details| notes)?|approach|patch(?:es)?|workarounds?|mitigations?|remediation|authors?|co-?authors?|migration|breaking changes?|affected versions?|patched versions?|versions?)(?:\*\*|__)?\s*:?\s*(?:\*\*|__)?$/i;
const NOISE_LINE =
  /\b(?:change ?logs?|release notes?|news ?(?:entry|fragment|file)|towncrier|bump(?:s|ed)? version|version bump)\b/i;
const NOISE_FILE =
  /\b(?:HISTORY\.\w+|CHANGES(?:\.\w+)?|NEWS(?:\.\w+)?|AUTHORS|CONTRIBUTORS|[Hh]istory\.(?:md|rst|txt)|[Cc]hange(?:s|log)\.(?:md|rst|txt))\b/;
const TEST_LINE =
  /^(?:[-*+]\s+|\d+[.)]\s+)?(?:and\s+)?(?:(?:also\s+)?(?:add(?:s|ed|ing)?|updat(?:e|es|ed|ing)|extend(?:s|ed)?|includ(?:e|es|ed|ing)|writ(?:e|es|ing)|wrote|new|improv(?:e|es|ed)|fix(?:es|ed)?|adjust(?:s|ed)?|cover(?:s|ed)?)\s+(?:\w+\s+){0,4}(?:unit ?|regression ?|integration ?|e2e ?)*(?:tests?|test ?cases?|specs?|coverage|fixtures?|snapshots?)\b|tests?\s*:|(?:includes?|with|plus)\s+(?:\w+\s+){0,2}tests?\b|(?:\w+\s+){0,2}tests?\s+(?:were|was|are|is|have been|has been)\s+(?:added|updated|extended|adjusted)\b|[\w-]+\s+(?:[\w.]+\s+){0,4}tests?\s*\.?$|(?:this|it)\s+(?:also\s+)?(?:updates?|adds?|fixes|changes|extends|includes)\s+(?:\w+\s+){0,3}tests?\b)/i;
/** Items in a squashed branch's list of commits that say nothing about behaviour. */
const NOISE_ITEM =
  /^(?:(?:tests?|docs?|style|chore|ci|build|refactor|wip)(?:\([^)]*\))?:|\S+$|(?:review|nits?|lint\w*|format\w*|typos?|clean ?up|rebase)\b.{0,20}$)/i;
const CHECKBOX = /^\[[ xX]\]\s/;
const DIFF_LINE = /^(?:diff --git|index [0-9a-f]{6,}\.\.|@@ .* @@|\+\+\+ |--- |[+-](?=\s*\S+.*[(){};=]))/;

/**
 * Turns a commit message, or a text written by a model, into an instruction that carries only the symptom: no ids,
 * links, hashes, versions, people, test names, lines of the solution, or hidden characters. Words that only led to
 * something removed go with it.
 */
export function scrubInstruction(message: string, context: ScrubContext): Scrubbed {
  const removed: string[] = [];
  const revealed = dropTrailers(plainRoles(revealText(message.slice(0, MAX_TEXT))), removed).trim();
  const [first = '', ...rest] = revealed.split('\n');
  const title = scrubTitle(first, context, removed);
  const blocks = dropSections(messageBlocks(rest.join('\n')), removed)
    .map((block) => scrubBlock(block, context, removed))
    .filter((block) => block !== '');
  const body = collapse(blocks.filter((block) => !repeats(block, title)).join('\n\n'));
  if (title !== '') return { title, body, removed };
  const [lead = '', ...others] = body.split('\n');
  return { title: lead, body: others.join('\n').trim(), removed };
}

/** Whether a block repeats the title, as in the list of a squashed branch. */
function repeats(block: string, title: string): boolean {
  return title !== '' && block.replace(/^\s*[-*+]\s+|[\s.]+$/g, '').toLowerCase() === title.toLowerCase();
}

function dropTrailers(text: string, removed: string[]): string {
  const kept = text.replace(new RegExp(TRAILER.source, TRAILER.flags), (line) => {
    removed.push(line.trim());
    return '';
  });
  // The last paragraph, when each of its lines reads `Some-Key: value`.
  const paragraphs = kept.trimEnd().split(/\n[ \t]*\n/);
  const last = paragraphs.at(-1)?.split('\n') ?? [];
  if (paragraphs.length < 2 || !last.every((line) => /^[A-Z][\w]*(?:-[\w]+)+: \S/.test(line))) return kept;
  removed.push(...last);
  return paragraphs.slice(0, -1).join('\n\n');
}

function scrubTitle(line: string, context: ScrubContext, removed: string[]): string {
  let title = line.trim().replace(/^(?:#+|[-*+•‣◦▪●·]|\d{1,2}[.)])\s+/, '');
  const scoped = keepScope(context);
  for (let before = ''; before !== title;) {
    before = title;
    title = title.replace(TAGS, keepTag(context)).replace(TYPE_PREFIX, scoped).trimStart();
  }
  if (quotesAny(title, context)) {
    removed.push(title);
    return '';
  }
  title = scrubText(withoutTail(title), context, removed, 2)
    .replace(/\s*[.:;,-]+$/, '')
    .trim();
  // A name that a user knows keeps its case.
  return /^[a-z]+(?:'[a-z]+)?(?=[\s,:]|$)/.test(title) ? `${title.charAt(0).toUpperCase()}${title.slice(1)}` : title;
}

/** Keeps the scope of `fix(joinURL): …` when it is a name that a user knows, as opposed to an area of the source. */
const keepScope =
  (context: ScrubContext) =>
  (prefix: string): string =>
    publicScope(/\(([^()]+)\)/.exec(prefix)?.[1] ?? '', context);

/** Keeps `[joinURL]` likewise. */
const keepTag =
  (context: ScrubContext) =>
  (tags: string): string =>
    [...tags.matchAll(/\[([^\]]+)\]/g)].map(([, tag = '']) => publicScope(tag, context)).join('');

function publicScope(scope: string, { publicNames }: ScrubContext): string {
  const names = scope
    .split(/[\s,/&|]+/)
    .filter((name) => /^[\w.$]+$/.test(name))
    .flatMap((name) => {
      if (/[a-z][A-Z]|_|[A-Za-z]\.[a-z]/.test(name)) return [name];
      return publicNames?.has(name) ? [`\`${name}\``] : [];
    });
  return names.length === 0 ? '' : `${names.join(', ')}: `;
}

function dropSections(blocks: MessageBlock[], removed: string[]): MessageBlock[] {
  const kept: MessageBlock[] = [];
  let inNoise = false;
  for (const block of blocks) {
    if (block.kind === 'heading') inNoise = NOISE_HEADING.test(block.text.trim());
    else if (block.kind === 'paragraph' && /^[^\n]{1,40}:$/.test(block.text) && NOISE_HEADING.test(block.text))
      inNoise = true;
    else if (!inNoise) {
      kept.push(block);
      continue;
    }
    if (inNoise) removed.push(block.text);
    else kept.push(block);
  }
  return kept;
}

function scrubBlock(block: MessageBlock, context: ScrubContext, removed: string[]): string {
  const text = block.text.trim();
  const drop = (): string => {
    removed.push(text);
    return '';
  };
  if (block.kind === 'code') return scrubCode(block.text, context) ? block.text : drop();
  if ((NOISE_LINE.test(text) || NOISE_FILE.test(text)) && text.length < 200) return drop();
  if (TEST_LINE.test(text) || CHECKBOX.test(text) || (block.kind === 'item' && NOISE_ITEM.test(text))) return drop();
  if (block.kind === 'heading') {
    const heading = scrubText(text.replace(/^#+\s*/, ''), context, removed, 1);
    return heading === '' ? '' : `**${heading.replace(/[*_]{2}/g, '')}**`;
  }
  const sentences = splitSentences(text.replace(TYPE_PREFIX, '')).filter((sentence) => {
    const bad = quotesAny(sentence, context) || TEST_LINE.test(sentence);
    if (bad) removed.push(sentence);
    return !bad;
  });
  const clean = sentences
    .map((sentence) => scrubText(sentence, context, removed, 5))
    .filter((sentence) => /\w{2}/.test(sentence));
  return clean.length === 0 ? '' : `${block.marker}${clean.join(' ')}`.trimEnd();
}

/** Whether code can stay. It is kept or dropped whole: a gap would only show where to look. */
function scrubCode(text: string, context: ScrubContext): boolean {
  const lines = text.split('\n');
  if (/^```\s*(?:diff|patch)/i.test(lines[0] ?? '') || lines.filter((line) => DIFF_LINE.test(line.trim())).length >= 2)
    return false;
  if (lines.some((line) => quotesAny(line, context))) return false;
  for (const match of residueMatches(text, context)) if (match.kind !== 'version') return false;
  return residueMatches(text, context).next().done === true;
}

function quotesAny(text: string, { goldLines }: ScrubContext): boolean {
  const normalised = normaliseLine(text);
  return goldLines.some((line) => isCodeLike(line) && quotesLine(normalised, line));
}

/**
 * Removes all residue from a line or sentence, with the words that only led to it. Returns nothing when fewer than
 * `least` words are left.
 */
function scrubText(text: string, context: ScrubContext, removed: string[], least: number): string {
  let marked = unlink(text);
  for (let round = 0; round < 4; round += 1) {
    const next = markResidue(marked, context, removed);
    if (next === marked) break;
    marked = next;
  }
  if (!marked.includes(MARK) && !marked.includes(GONE)) return marked.trim();
  return tidy(marked, least);
}

/** Somebody's name that leads to where they are on a code host. */
const PROFILE =
  /(?:(?:^|[\s(-]+)by\s+)?@?\[@?[^[\]]{1,60}\]\(\s*<?https?:\/\/(?:www\.)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\/@?[\w.-]+\/?>?\s*\)/gi;

/** Replaces `[words](address)` and the like by the words. A bare address is left for the families to find. */
function unlink(text: string): string {
  return outsideCode(text, (part) =>
    part
      .replace(
        /(?:(?<=[\s,])(?:see|cf\.?)(?: also)?)?(?<=^|[\s.,;:!?)"']|see|cf\.?)\s*\[(?:\^[\w-]+|\d{1,3}|#[\w-]*|\*)\]_?(?=[\s.,;:!?)]|$)/g,
        GONE,
      )
      .replace(/(?<=[A-Za-z])\[\^[\w-]+\]|(?<=\w)\s?\[(?:\d{1,3}|#[\w-]*|\*)\]_(?!\w)/g, GONE),
  )
    .replace(PROFILE, MARK)
    .replace(/!?\[([^[\]]*)\]\(\s*<?([^()\s]*(?:\([^()]*\)[^()\s]*)*)>?(?:\s+["'][^)]*)?\s*\)/g, '$1 ($2)')
    .replace(/!?\[([^[\]]+)\]\[([^[\]]*)\]/g, '$1')
    .replace(/<a\b[^>]*\bhref\s*=\s*["']?([^"'\s>]*)["']?[^>]*>([\s\S]*?)<\/a>/gi, '$2 ($1)')
    .replace(/`([^`<]*)<([^>`]+)>`__?/g, '$1 ($2)')
    .replace(/^\s*(?:\[[^\]]+\]:|\.\.\s+(?:_[^:]+:|\[[^\]]+\]))\s*\S+(?:\s+["'(].*)?$/gm, GONE);
}

/** Changes what is outside of spans of code. */
function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

function markResidue(text: string, context: ScrubContext, removed: string[]): string {
  const ranges = [...residueMatches(text, context)].sort((a, b) => a.start - b.start || b.end - a.end);
  let result = '';
  let at = 0;
  for (const { start, end } of ranges) {
    if (start < at) {
      if (end > at) at = end;
      continue;
    }
    removed.push(text.slice(start, end));
    result += `${text.slice(at, start)}${MARK}`;
    at = end;
  }
  return result + text.slice(at);
}

const LEADING_WORDS =
  '(?:see(?: also)?|cf\\.?|fix(?:e[sd])?|fixing|clos(?:e|es|ed|ing)|resolv(?:e|es|ed|ing)|address(?:es|ed)?|ref(?:s|erence[sd]?)?|re|relate[sd]?(?: to)?|part of|follow(?:s|ing|ed)?[- ]?up(?: (?:to|of|for|on))?|as|introduced|reported|discussed|described|mentioned|noted|found|explained|documented|requested|raised|filed|tracked|discovered|spotted|regress(?:ed|ion)|broken|added|changed|caused|merged|done|made|was|were|is|been|in|from|via|by|since|of|to|for|with|at|per|on|and|or|after|before|until|through|prior|under|like|the|this|commits?|issues?|prs?|pull requests?|merge requests?|bugs?|tickets?|reports?|version|versions|releases?|branch|affect(?:s|ed|ing)?|thanks|many|cc|/cc|credits?|authors?|details?|more|info|information|up|hash|rev(?:ision)?|id|link)';
const BEFORE_MARK = new RegExp(
  `(?:(?<![\\w'-])${LEADING_WORDS}(?![\\w'])[\\s:.,;=-]*)+(?=[\\s("'\`<*_\\[]*${MARK})`,
  'gi',
);
const ENCLOSED_MARKS = new RegExp(
  `[(\\[<{"'\`*_]+\\s*(?:${LEADING_WORDS}[\\s:,.-]*)*(?:${MARK}[\\s,;:&/|+.-]*(?:(?:and|or)\\s+)?)+[)\\]>}"'\`*_]+`,
  'gi',
);

/** Quotation marks or emphasis around a removal and nothing else. */
const QUOTED_MARK = new RegExp(`(["'\`*_]+)\\s*${MARK}\\s*\\1`, 'g');

/** A sentence that has lost its beginning and goes on like this says nothing any more. */
const DEPENDENT =
  '(?:when|and|but|by|which|that|because|so|where|while|as|who|though|although|after|before|for|with|to)\\b';

function tidy(marked: string, least: number): string {
  let text = marked;
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(QUOTED_MARK, MARK).replace(ENCLOSED_MARKS, GONE).replace(BEFORE_MARK, '');
    text = text.replace(new RegExp(`${MARK}(?:[\\s,;/&+|:-]*(?:(?:and|or)\\s+)?${MARK})+`, 'g'), MARK);
  }
  text = text.replace(new RegExp(`${GONE}(?:[\\s,;/&+|]*(?:(?:and|or)\\s*)?${GONE})+`, 'g'), GONE);
  if (least <= 2) text = text.replace(new RegExp(`[\\s,;:-]*${MARK}[\\s.]*$`), GONE);
  text = text.replace(new RegExp(`\\([^()]*${MARK}[^()]*\\)`, 'g'), (group) =>
    (group.match(/[A-Za-z]{2,}/g) ?? []).length <= 5 ? GONE : group,
  );
  const words = text.match(/[A-Za-z]{2,}/g) ?? [];
  if (words.length < (text.includes(MARK) ? least : 1) || new RegExp(`^\\s*${MARK}[\\s,;:]*${DEPENDENT}`).test(text))
    return '';
  return text
    .replaceAll(GONE, ' ')
    .replace(new RegExp(`^\\s*${MARK}[\\s:;,.)\\]-]*`), '')
    .replaceAll(MARK, ' ')
    .replace(/\(\s[\s,;:.&-]*\)|\[\s+\]/g, ' ')
    .replace(/\(\s*[,;:]+\s*/g, '(')
    .replace(/[ \t]+([,;:)\]]|\.(?![\w.]))/g, '$1')
    .replace(/([([])\s+/g, '$1')
    .replace(/([,;:])(?:\s*[,;:.])+/g, '$1')
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/(?:[\s,;:(-]|(?<=,)\s*(?:and|or))+$/, '')
    .trim();
}

function collapse(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/(?<=(?:^|\n) *(?:[-*+]|\d+[.)]) [^\n]*)\n\n(?= *(?:[-*+]|\d+[.)]) )/g, '\n')
    .trim();
}
