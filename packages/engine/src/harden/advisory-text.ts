import { messageBlocks, type MessageBlock } from './message-blocks.ts';
import { revealText } from './reveal-text.ts';

/** The text of a security advisory: a summary of one line, and Markdown. Either may be empty. */
export interface AdvisoryWords {
  summary: string;
  details: string;
}

const MAX_DETAILS = 16_000;
const MAX_TITLE = 200;

/**
 * Headings of sections about who is affected, how to mend it, where it lies and who found it, rather than about what
 * goes wrong.
 */
const REMEDY_HEADING = new RegExp(
  `^(?:${[
    'patch(?:es|ed)?(?: versions?)?',
    '(?:affected|vulnerable|impacted|fixed|patched|tested) (?:versions?|packages?|products?|releases?|components?|code|files?|functions?|lines?|locations?|endpoints?)',
    'affected',
    'versions?(?: affected)?',
    'fix(?:es|ed)?(?: (?:in|commits?|versions?|details?|suggestions?|recommendations?))?',
    '(?:the|proposed|suggested|recommended|possible|potential) (?:fix|patch|solution|remediation|mitigation|change)s?',
    'how to fix.*',
    'solutions?',
    'resolution',
    'work-?arounds?',
    'mitigations?(?: .*)?',
    'remediations?(?: .*)?',
    'recommend(?:ed|ations?)(?: .*)?',
    'actions?(?: required)?',
    'upgrad(?:e|ing)(?: .*)?',
    'references?',
    'links?',
    'resources?',
    'see also',
    'further reading',
    'related(?: .*)?',
    'sources?',
    'credits?',
    'acknowledge?ments?',
    'thanks',
    'attribution',
    'report(?:er|ed by)',
    'researchers?',
    'discovered by',
    'found by',
    'authors?',
    '(?:disclosure )?timeline',
    'disclosure(?: .*)?',
    'history',
    'for more information',
    'contact',
    'questions?',
    'more (?:info|information|details)',
    'about(?: .*)?',
    '(?:technical )?root cause(?: .*)?',
    'vulnerable (?:code|snippets?|lines?)(?: .*)?',
    'code (?:analysis|location|references?|snippets?|path)',
    'locations?',
    'source(?: code)?(?: .*)?',
    'diff',
    'pull requests?',
    'commits?',
    'cvss(?: .*)?',
    'cwes?(?: .*)?',
    'severity(?: .*)?',
    'metrics',
    'weakness(?:es)?',
    'identifiers?',
    'aliases',
    'cves?(?: ids?)?',
    'environment',
    'tests?(?: .*)?',
    'regression tests?',
  ].join('|')})\\s*[:.]?$`,
  'i',
);

/** Headings that add nothing to the text below them. */
const PLAIN_HEADING =
  /^(?:impact|summary|details?|description|overview|vulnerability|vulnerability details?|what|issue|problem|synopsis|background)$/i;

/** Sentences about the remedy, versions or people. */
const REMEDY: readonly RegExp[] = [
  /\b(?:has|have|is|was|were|been|are|gets?|got)\s+(?:\w+\s+)?(?:fixed|patched|resolved|addressed|mitigated|remediated|corrected|backported|rectified)\b/i,
  /^(?:fixed|patched|resolved|addressed|remediated|mitigated)\b|\b(?:fixed|patched|resolved|addressed|remediated)\s+(?:in|by|with|as of|since|via|from|through|upstream)\b/i,
  /\b(?:the|this|our|a|an|any|proposed|suggested|recommended|official|upstream|complete|proper|initial|incomplete|temporary|interim|security|vendor) (?:\w+ )?(?:fix(?:es)?|patch(?:es)?|hotfix|work-?arounds?|remediations?|mitigations?|countermeasures?)\b/i,
  /\b(?:no|known|possible|available|only|following) (?:known )?(?:work-?arounds?|mitigations?|patch(?:es)?|fix(?:es)?)\b|\bas a (?:\w+ )?(?:work-?around|mitigation|stopgap|precaution)\b|^(?:work-?around|mitigation|remediation|patch|fix|solution|recommendation)s?\s*:/i,
  /\b(?:can|could|should|may|might|must) be (?:fixed|mitigated|avoided|prevented|remediated|patched|resolved|worked around|addressed|corrected) (?:by|with|via|through|using)\b/i,
  /^(?:please |kindly |users? |we |all |consumers? |maintainers? |customers? |developers? |administrators? |those |anyone |it is |if (?:you|users?|upgrading)|consider|until|downstream|projects?|applications? |you ).{0,120}\b(?:upgrad\w*|updat\w*|patch\w*|recommend\w*|advis\w*|migrat\w*|downgrad\w*|bump\w*|pinn?\w*|appl(?:y|ying)|backport\w*|cherry[- ]pick\w*|work(?:ing)?[- ]?around\w*)\b/i,
  /^(?:upgrad(?:e|ing)|updat(?:e|ing)|downgrad(?:e|ing)|migrat(?:e|ing)|bump|pin|install|apply|cherry[- ]pick|backport)\b/i,
  /\b(?:apply(?:ing)?|cherry[- ]pick\w*|backport\w*|port(?:ed|ing)) (?:\w+ ){0,5}(?:patch(?:es)?|changes?|commits?|diffs?|fix(?:es)?|pull requests?|prs?|merge requests?)\b/i,
  /\b(?:versions?|releases?|commits?|pull requests?|prs?|merge requests?|changesets?|v?\d+\.\d+(?:\.\d+)*(?: and (?:later|above|newer|up|higher))?)\b.{0,80}\b(?:fix(?:es|ed)?|contains?|includes?|patch(?:es|ed)?|resolv\w+|address\w*|mitigat\w+|corrects?|corrected|ships?|backport\w*|removes?|no longer|safe|unaffected|not affected|introduc\w+)\b/i,
  /\b(?:affects?|affected|affecting|impacts?|vulnerable|impacted|introduced)\b.{0,50}\b(?:versions?|releases?)\b|\b(?:versions?|releases?)\b.{0,80}\b(?:affected|vulnerable|impacted)\b|\ball (?:\w+ )?(?:versions|releases)\b|\b(?:is|are) (?:also |not |only )?(?:affected|vulnerable|impacted|unaffected)\W*$|^(?:affected|patched|fixed|vulnerable|unaffected|impacted|tested)\b.{0,30}:/i,
  /\bfor (?:more|further|additional|full) (?:information|details?)\b|\bif you have any (?:\w+ )?(?:questions?|comments?)\b|\b(?:open|file|raise) an? (?:\w+ )?(?:issue|ticket)\b|\bemail us\b|\bsee (?:also|the (?:\w+ )?(?:advisory|issue|commit|pull request|pr|report|release notes|changelog|write-?up|blog|discussion))\b|\brefer(?:ence)?s? to the (?:\w+ )?(?:advisory|issue|commit|pull request|release|changelog)/i,
  /\bthank(?:s|ed|ing)?\b|\bcredit(?:s|ed)?\b.{0,40}\b(?:to|for|goes|by)\b|^credits?\b|\bkudos\b|\backnowledge?(?:s|d|ments?)?\b.{0,60}\b(?:for|report|find|discover|research)\w*|\b(?:reported|discovered|found|disclosed|identified|submitted|uncovered) (?:\w+ )?(?:to us )?by\b|\bresponsibl[ey] (?:disclos|report)\w+|\bbug bounty\b|\bresearchers?\b.{0,60}\b(?:found|report\w*|discover\w*|disclos\w*)\b|\bsecurity (?:team|researchers?)\b/i,
  /\bCVSS\b|\bAV:[NALP]\/AC:|^(?:severity|cvss|cwe|weakness(?:es)?|base score|vector|cve|ghsa|package|ecosystem|product|component|published|reporter|credit|advisory)\b.{0,30}:/i,
  /^\W*(?:\d{4}-\d{2}-\d{2}|\d{1,2} \w{3,9} \d{4}|\w{3,9} \d{1,2}, \d{4})\s*[:,-]/,
];

/**
 * Extracts what an advisory says about the problem itself, as a message: title, empty line, text. Leaves out sections
 * and sentences about remedies, versions, people and places. `scrubInstruction`, which comes afterwards, deals with
 * ids, links and the like.
 */
export function advisoryText({ summary, details }: AdvisoryWords): string {
  const blocks = dropRemedySections(messageBlocks(revealText(details.slice(0, MAX_DETAILS))))
    .map(dropRemedySentences)
    .filter(({ text }) => text !== '');
  const title = splitSentences(revealText(summary).replace(/\s+/g, ' ').trim())
    .filter((sentence) => !isRemedy(sentence))
    .join(' ')
    .slice(0, MAX_TITLE);
  if (title !== '') return `${title}\n\n${textOf(blocks)}`.trim();
  const first = blocks.find(({ kind }) => kind === 'paragraph');
  if (!first) return textOf(blocks);
  const [lead = '', ...rest] = splitSentences(first.text);
  const others = blocks
    .map((block) => (block === first ? { ...block, text: rest.join(' ') } : block))
    .filter(({ text }) => text !== '');
  return `${lead.slice(0, MAX_TITLE)}\n\n${textOf(others)}`.trim();
}

/** Drops the sections about remedies. A section ends at a heading that is no deeper than its own. */
function dropRemedySections(blocks: MessageBlock[]): MessageBlock[] {
  let droppedAt = 0;
  return blocks.filter(({ kind, text }) => {
    const label = kind === 'paragraph' && /^[^\n.]{1,60}:$/.test(text) && REMEDY_HEADING.test(headingText(text));
    if (kind !== 'heading' && !label) return droppedAt === 0;
    const level = /^#+/.exec(text)?.[0].length ?? 7;
    if (droppedAt > 0 && level > droppedAt) return false;
    droppedAt = REMEDY_HEADING.test(headingText(text)) ? level : 0;
    return droppedAt === 0;
  });
}

/** Splits a text into sentences. One may begin in lower case with the name of a project. */
const splitSentences = (text: string): string[] =>
  text.split(/(?<=[.!?][)"'`*_]{0,3})(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|no|incl|al)\.)\s+/i);

const headingText = (text: string): string =>
  text
    .replace(/^[#\s*_]+|[\s*_:#]+$/g, '')
    .replace(/^(?:\p{Extended_Pictographic}+\s+|[\d.)]+\s+)+/u, '')
    .trim();

function dropRemedySentences(block: MessageBlock): MessageBlock {
  if (block.kind === 'code' || block.kind === 'heading') return block;
  const parts = splitSentences(
    block.text.replace(/^(?:\*\*|__)([\w -]{2,30}?)(?::(?:\*\*|__)|(?:\*\*|__):)\s*/, '$1: '),
  );
  return { ...block, text: parts.filter((sentence) => !isRemedy(sentence.replace(/[*_`]/g, ''))).join(' ') };
}

const isRemedy = (sentence: string): boolean => REMEDY.some((pattern) => pattern.test(sentence.trim()));

/** Turns blocks back into Markdown. Headings with nothing below them are dropped. */
function textOf(blocks: MessageBlock[]): string {
  const kept = blocks.filter(
    ({ kind, text }, index) =>
      kind !== 'heading' ||
      (!PLAIN_HEADING.test(headingText(text)) && (blocks[index + 1]?.kind ?? 'heading') !== 'heading'),
  );
  return kept.map(({ kind, text, marker }) => (kind === 'item' ? `${marker}${text}` : text)).join('\n\n');
}
