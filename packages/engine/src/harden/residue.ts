import { ECOSYSTEMS } from '../ecosystems/index.ts';
import { hiddenCharacters, revealText } from './reveal-text.ts';
import { isVersionKept, VERSION_PATTERNS } from './residue-versions.ts';

export type ResidueKind =
  | 'link'
  | 'email'
  | 'advisory'
  | 'reference'
  | 'hash'
  | 'version'
  | 'mention'
  | 'author'
  | 'trailer'
  | 'test-name'
  | 'position'
  | 'hidden-character';

/** Something that must never be in an instruction, because it leads to the fix or to its author. */
export interface Residue {
  kind: ResidueKind;
  text: string;
}

/** Facts about the task. Without them, only residue that is recognisable by itself is found. */
export interface ResidueContext {
  /** Names of the project; any number beside one is a version. */
  projectNames?: readonly string[];
  /** Names and paths of hidden tests. */
  knownTestNames?: readonly string[];
  /** Names that hidden tests call or decorate with: a user of the program knows them. */
  publicNames?: ReadonlySet<string>;
  /**
   * Set for a text from a security advisory, which says where a problem lies and in its own words. Positions in files
   * are then residue too.
   */
  advisory?: AdvisoryContext;
}

export interface AdvisoryContext {
  /** The advisory's ids, versions, commits and people, as written. */
  identifiers: readonly string[];
  /** Files that the fix changes. */
  sourcePaths: readonly string[];
}

interface Family {
  kind: ResidueKind;
  patterns: readonly RegExp[];
  /** Whether a match is harmless. */
  keeps?: (match: RegExpExecArray, context: ResidueContext) => boolean;
}

export const TRAILER =
  /^[ \t>*-]*(?:(?:[A-Z][\w]*-)+(?:by|to|from|on|id)|signed[- ]off[- ]by|co[- ]authored[- ]by|co[- ]developed[- ]by|reviewed[- ]by|acked[- ]by|tested[- ]by|reported[- ]by|suggested[- ]by|helped[- ]by|approved[- ]by|pair(?:ed)?[- ]with|cc|change-id|reviewed-on|reviewed-at|differential revision|phabricator|git-svn-id|svn-id|cherry-picked-from|upstream-commit|bug-url|bug-id|x-[\w-]+|message-id|link|see-also|gerrit|piperorigin-revid|copybara[\w-]*|origin|fixes-bug|pull-request|merge-request|authors?|credits?|release-notes?|changelog(?:-entry)?|conflicts?(?:=[^\n]*)?)[ \t]*:.*(?:\n[ \t]+\S*$)*/gim;

/** Standards and units whose names look like the key of an issue tracker. */
const NO_TRACKER =
  /^(?:UTF|ISO|SHA|RFC|HTTP|HTTPS|MD|AES|DES|RSA|CP|IEEE|PEP|EUC|KOI|BASE|LATIN|WINDOWS|CWE|IPV|UCS|UTC|GMT|TLS|SSL|ES|EC|ECMA|MP|H|X|USB|PCI|ARM|SSE|AVX|CRC|RIPEMD|HMAC|PKCS|CSS|HTML|XML|FIPS|ANSI|ASCII|JIS|GB|BIG|TIS|IBM|DOS|EBCDIC|BLAKE|SM|ED|P|ID|TOP|OWASP|PDF|JSON|HS|RS|PS|TYPE|LEVEL|PART|STEP|CASE|PHASE|DAY|AT|PRE|POST|NON|IP|TCP|UDP|BIT|RGB|CMYK|SQL|SI|Z|Q|N|A|B|C|D|E|F)$/;
const WEB_HOST =
  '(?:[a-z0-9-]+\\.)+(?:com|org|net|io|dev|edu|gov|info|app|sh|ht|cloud|page|site|us|de|uk|fr|eu|ru|cn|jp|me|co|ai|xyz|land)';
const URL_TAIL = '(?:[^\\s<>"`\\u0001]*[^\\s<>"`\\u0001.,;:!?)\\]}\'*_])?';
/** Decorators, directives and documentation tags that a message may name. */
const NO_PERSON =
  /^@(?:property|staticmethod|classmethod|dataclass|cached_property|overload|override|abstractmethod|wraps|fixture|media|import|font-face|keyframes|supports|param|params|return|returns|throws|type|typedef|template|deprecated|see|since|link|example|default|public|private|internal|ts-ignore|ts-expect-error|ts-nocheck|jsx|decorator|decorators|everyone|latest|next|types|babel|media|charset|layer|apply|container|page|namespace|username|user|host|domain|foo|bar)$/i;

const FAMILIES: readonly Family[] = [
  {
    kind: 'trailer',
    patterns: [
      TRAILER,
      /^.*\bcherry[- ]?picked from\b.*$/gim,
      /^.*\bThis reverts commit\b.*$/gim,
      /^Merge (?:pull request|branch|remote-tracking|tag|commit)\b.*$/gim,
    ],
  },
  {
    kind: 'link',
    patterns: [
      new RegExp(
        `\\b(?:https?|ftps?|git|ssh|svn|hxxps?|file|view-source)(?:\\+\\w+)?(?::|%3A)(?:/|%2F){2}${URL_TAIL}`,
        'gi',
      ),
      new RegExp(`\\b(?:www\\.|${WEB_HOST}(?::\\d+)?(?:/|%2F))${URL_TAIL}`, 'gi'),
      new RegExp(
        `\\b(?:www\\.)?[a-z0-9-]+(?:\\[\\.\\]|\\(dot\\)|\\s\\[?dot\\]?\\s)(?:com|org|net|io)\\b${URL_TAIL}`,
        'gi',
      ),
      /\bgit@[\w.-]+:[\w./-]+/gi,
      /\b(?:doi:\s*|arxiv:\s*)[\w./-]+\d\b/gi,
      /(?<![\w/])(?:\w[\w.-]*\/\w[\w.-]*\/)?(?:pull|pulls|issues|commit|commits|compare|releases\/tag|merge_requests)\/[\w.-]*\d[\w.-]*/gi,
    ],
    keeps: isReservedLink,
  },
  {
    kind: 'email',
    patterns: [/<?[\w.+-]+(?:@| at | \[at\] |\(at\))[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b>?/gi],
    keeps: ([text]) =>
      /@(?:[\w-]+\.)*(?:example(?:\.\w+)?|test|invalid|localhost)>?$/i.test(text) ||
      (!text.includes('@') && !/\[at\]|\(at\)/.test(text)),
  },
  {
    kind: 'advisory',
    patterns: [
      /\bCVE[-_ :#]*\d{4}[-_ ]*\d{3,8}\b/gi,
      /\bGHSA(?:[-_ ]?[0-9a-z]{4}){3}\b/gi,
      /\b(?:PYSEC|RUSTSEC|OSV|GO|MAL|GSD|RHSA|RHBA|ALAS2?|DSA|DLA|USN|ELSA|SUSE-SU|ZDI|EDB|TALOS|JVNDB|HSEC|OSEC|MGASA|FEDORA|BDU|CNVD|NSWG-ECO|WS)[-_ :]\d{2,4}[-_:]\d+(?:[-_:]\d+)?\b/gi,
      /\b(?:DSA|DLA|USN|NSWG-ECO|ZDI|EDB-ID)[-_ :]\d{2,6}\b/g,
      /\bSNYK[-_ ][\w-]*\d+\b/gi,
      /\bVU#\d+\b/gi,
    ],
  },
  {
    kind: 'reference',
    patterns: [
      /(?<![\w/&])[\w.-]+\/[\w.-]+\s?[#!]\s?\d+\b/g,
      /(?<![\w&])[A-Za-z][\w.-]+#\d+\b/g,
      /(?<![\w&#])(?:(?<!^[ \t]*)#[ \t*_~`]*|#[*_~`]*)\d+\b(?![.,]\d)/gm,
      /(?<!\w)(?:gh|bpo|lp|bz|jira|pr|mr)[-_ :]*(?:no\.? ?|[#!])?[*_`]*\d+\b/gi,
      /\b(?:issues?|tickets?|bugs?|pull[- ]?requests?|merge[- ]?requests?|PRs|MRs|discussions?|bug ?reports?)[ :*_`-]*(?:no\.? ?|nr\.? ?|number ?|id ?|[#!] ?)?[*_`]*\d+\b(?:,? ?(?:,|and|&|or|\/) ?[#!]?\d+\b)*/gi,
      /(?<![\w!)\]])!\d{2,7}\b/g,
      /\b[A-Z][A-Z0-9]{1,9}-\d+\b/g,
    ],
    keeps: ([text]) =>
      /^[A-Z][A-Z0-9]*-\d+$/.test(text) && NO_TRACKER.test(text.slice(0, text.lastIndexOf('-')).replace(/\d+$/, '')),
  },
  {
    kind: 'hash',
    patterns: [
      /\b(?:commits?|rev(?:ision)?s?|changesets?|sha-?1?|git hash|backport(?:ed|s)?(?: of| from)?|revert(?:s|ed)?)[ :=`*_(<#@-]*[0-9a-f]{7,40}\b/gi,
      /\b(?:commit|rev(?:ision)?|changeset|sha-?1)[ :=`*_(<#@-]*(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{5,6}\b/gi,
      /(?<![0-9A-Za-z#])(?<![0-9A-Za-z]0x)(?:g(?=[0-9a-f]{7,40}\b))?(?:[0-9a-f]{7,40}|[0-9A-F]{7,40})(?![0-9A-Za-z])/g,
      /\b[0-9a-f]{40}\b/gi,
      /\b[0-9a-f]{64}\b/gi,
    ],
    keeps: isNoHash,
  },
  { kind: 'version', patterns: VERSION_PATTERNS, keeps: isVersionKept },
  {
    kind: 'mention',
    patterns: [/(?<![\w@./`'"-])@[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?![\w/(-]|\.\w)/g],
    keeps: ([text], { publicNames }) => NO_PERSON.test(text) || publicNames?.has(text.slice(1)) === true,
  },
  {
    kind: 'author',
    patterns: [
      /\b(?:(?:patch|pr|fix|report|idea|work|contribution|suggestion|implementation|test case|based on work)(?:ed)? by|(?:reported|found|discovered|suggested|contributed|spotted|noticed|diagnosed|written|authored|reviewed|proposed) by|(?:many )?thanks?(?: you)?(?: goes)? to|credits? (?:to|goes to|for [\w ]+ to)|courtesy of|kudos to|props to|hat tip to)\s+(?:@?[A-Z][\w'.-]+(?:\s+(?:[A-Z][\w'.-]*|van|von|de|der))*)/g,
      /\b(?:Patch|Reported|Found|Discovered|Suggested|Contributed|Spotted|Noticed|Diagnosed|Written|Authored|Reviewed|Proposed) by\s+@?[A-Z][\w'.-]+(?:\s+(?:[A-Z][\w'.-]*|van|von|de|der))*/g,
      /\b(?:patch(?:es)?|PR|pull request) by\s+@?[\w.-]+/gi,
      /\u0001[\s,]*by\s+@?[A-Z][\w'.-]+(?:\s+(?:[A-Z][\w'.-]*|van|von|de|der))*/g,
      /\b(?:Many )?[Tt]hanks?(?: you)?(?: goes)?,? (?:to )?@?[A-Z][\w'.-]+(?:\s+[A-Z][\w'.-]*)*/g,
    ],
  },
];

function isReservedLink([text]: RegExpExecArray): boolean {
  const address = /^(?:https?|ftps?|file|wss?):\/\/(?:[^/@\s]*@)?(\[[0-9a-f:]+\]|[^/:?#\s]+)(.*)$/i.exec(text);
  if (/^\w[\w+.-]*:\/\/$/.test(text)) return true;
  const bare = address === null ? /^((?:[\w-]+\.)*example\.(?:com|org|net))(.*)$/i.exec(text) : address;
  const host = bare?.[1]?.replace(/[),.;:'\]]+$/, '');
  if (bare === null || host === undefined) return false;
  // An address that contains another one may lead there.
  if (
    /https?(?::|%3A)|git(?:hub|lab)|bitbucket|pull\/|commit\/|issues\/|advisor|compare\/|releases?\//i.test(
      bare[2] ?? '',
    )
  )
    return false;
  return /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[.*\]|(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)|[\w-]{1,16})$/i.test(
    host,
  );
}

/** Whether a match is a word, plain number, UUID, float or the like rather than an object id. */
function isNoHash(match: RegExpExecArray): boolean {
  const text = match[0];
  if (!/^g?[0-9a-f]+$/i.test(text)) {
    const tail = /[0-9a-f]+$/i.exec(text)?.[0] ?? '';
    return (
      /^[a-f]+$/i.test(tail) &&
      tail.length < 12 &&
      !/^[0-9a-f]{40}$/i.test(tail) &&
      /^(?:defaced|effaced|acceded|deceded|fabaceae|added|based|faced)$/i.test(tail)
    );
  }
  if (text.length === 40 || text.length === 64) return false;
  if (/^\d+$/.test(text) || /^[a-f]+$/i.test(text) || /^\d+e\d+$/i.test(text)) return true;
  const around = match.input.slice(Math.max(0, match.index - 36), match.index + text.length + 36);
  return new RegExp(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, 'i').exec(around)?.[0].includes(text) ?? false;
}

/**
 * Yields the ranges of a revealed text that must go, family by family: links first, because they may contain all the
 * others.
 */
export function* residueMatches(
  revealed: string,
  context: ResidueContext = {},
): Generator<{ kind: ResidueKind; start: number; end: number }> {
  // Anything inside a harmless link is part of it.
  const kept: { start: number; end: number }[] = [];
  for (const family of [...FAMILIES, ...contextFamilies(context)]) {
    for (const pattern of family.patterns) {
      for (const match of revealed.matchAll(pattern)) {
        const range = { start: match.index, end: match.index + match[0].length };
        if (match[0] === '' || kept.some(({ start, end }) => start <= range.start && range.end <= end)) continue;
        if (family.keeps?.(match, context) !== true) yield { kind: family.kind, ...range };
        else if (family.kind === 'link') kept.push(range);
      }
    }
  }
}

function contextFamilies(context: ResidueContext): Family[] {
  const families: Family[] = [];
  const names = (context.projectNames ?? []).filter((name) => name.length > 1).map(escapePattern);
  if (names.length > 0) {
    families.push({
      kind: 'version',
      patterns: [
        new RegExp(
          `(?<![\\w-])(?:${names.join('|')})\\s*(?:[-@<>=!~^]=?|version|release|v\\.?|\\s)+\\s*\\d+(?:\\.(?:\\d+|x))*(?:[-.]?(?:a|b|rc|dev|post|alpha|beta)[-.]?\\d*)*(?:\\s*,\\s*[<>=!~^]=?\\s*\\d[\\w.]*)*(?![\\w])`,
          'gi',
        ),
      ],
    });
  }
  const tests = (context.knownTestNames ?? []).flatMap(testNameForms);
  if (tests.length > 0)
    families.push({ kind: 'test-name', patterns: [new RegExp(`(?<![\\w/-])(?:${byLength(tests)})(?![\\w-])`, 'g')] });
  if (context.advisory) families.push(...advisoryFamilies(context.advisory));
  return families;
}

/** Lines of files: of any ecosystem's own languages, and of those that are compiled to one. */
const positions = (): RegExp[] => [
  new RegExp(
    `(?<![\\w/])(?:[\\w.@-]+/)*[\\w.-]+(?:${codeEndings()})(?:#L?\\d+(?:-L?\\d+)?|:\\d+(?:[:-]\\d+)?|\\(\\d+(?:,\\d+)?\\))`,
    'g',
  ),
  /(?<![\w#])#?L\d{1,6}(?:\s?-\s?L?\d{1,6})?(?!\w)/g,
  /(?<!\w)lines?\s+(?:numbers?\s+)?#?\d{1,6}(?:\s*(?:-|to|through|and|,)\s*\d{1,6})*(?!\w)/gi,
];

const codeEndings = (): string =>
  [...ECOSYSTEMS.map(({ codeFiles }) => codeFiles.source.replace(/\$$/, '')), '\\.(?:pyx|vue)'].join('|');

function advisoryFamilies({ identifiers, sourcePaths }: AdvisoryContext): Family[] {
  const written = identifiers.map((text) => revealText(text).trim()).filter((text) => text.length >= 3);
  const versions = written.filter((text) => /^\d+(?:\.\d+)+/.test(text));
  const others = written.filter((text) => text.length >= 4 && !versions.includes(text));
  const paths = [...new Set(sourcePaths.flatMap((path) => [path, path.split('/').at(-1) ?? path]))].filter((path) =>
    /^\w.*\.\w+$/.test(path),
  );
  const exact = (texts: readonly string[], flags: string): RegExp[] =>
    texts.length === 0 ? [] : [new RegExp(`(?<![\\w.])(?:${byLength(texts)})(?![\\w]|\\.\\d)`, flags)];
  return [
    {
      kind: 'advisory',
      patterns: [
        ...exact(
          others.filter((text) => /\d/.test(text)),
          'gi',
        ),
        ...exact(
          others.filter((text) => !/\d/.test(text)),
          'g',
        ),
        /\bCWE[-_ :]?\d{1,5}\b/g,
        /\bCVSS(?:v\d)?[:\s][^\s,;]*\/AV:[^\s,;]*/g,
      ],
    },
    { kind: 'version', patterns: exact(versions, 'g'), keeps: isVersionKept },
    {
      kind: 'position',
      patterns: [
        ...positions(),
        ...(paths.length === 0 ? [] : [new RegExp(`(?<![\\w.-])(?:[\\w.@-]+/)*(?:${byLength(paths)})(?![\\w-])`, 'g')]),
      ],
    },
  ];
}

const byLength = (texts: readonly string[]): string =>
  [...new Set(texts)]
    .sort((a, b) => b.length - a.length)
    .map(escapePattern)
    .join('|');

/** What tells the name of a test from the name of what it tests. */
const TEST_MARK = /(?:^|[._-])(?:tests?|specs?)(?:[._-]|$)|^Test[A-Z]|[a-z](?:Tests?|Spec)$/;

/**
 * Lists the forms of a test's name: a path, its file name, and the name alone. Neither names that could be ordinary
 * words are searched for, nor those that say nothing of a test: `describe('joinURL')` and `test/res.links.js` are called
 * after what users know.
 */
function testNameForms(name: string): string[] {
  if (/\s/.test(name.trim())) return name.trim().split(/\s+/).length >= 4 && name.length >= 6 ? [name] : [];
  const base = name.split('/').at(-1) ?? name;
  const stem = base.replace(/\.\w+$/, '');
  const forms = name.includes('/') ? [name, base, stem] : [name, stem];
  return forms.filter(
    (form) => form.length >= 6 && (form.includes('/') || (form === base && form !== stem) || TEST_MARK.test(form)),
  );
}

export function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/**
 * Finds everything in a text that must not be in an instruction, hidden characters included. Empty for a clean text.
 */
export function findResidue(text: string, context: ResidueContext = {}): Residue[] {
  const revealed = revealText(text);
  const residue: Residue[] = hiddenCharacters(text).map((name) => ({ kind: 'hidden-character', text: name }));
  if (/<!--/.test(text)) residue.push({ kind: 'hidden-character', text: '<!--' });
  for (const { kind, start, end } of residueMatches(revealed, context))
    residue.push({ kind, text: revealed.slice(start, end).trim() });
  return residue;
}
