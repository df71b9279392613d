import { scopeOf, splitSentences } from './sentences.ts';
import { NAME, VERBS } from './tells-problem.ts';

/** What is known of a change, to tell words about it from words about the need. */
export interface ChangeWords {
  /** Names in lines of the reference that the change adds. */
  added: ReadonlySet<string>;
  /** Names in lines beside them, and in lines that it removes. */
  beside: ReadonlySet<string>;
  /** Variables that indented lines of the change give a value: nobody outside sees them. */
  variables: ReadonlySet<string>;
  /** Names in the tree of T0. */
  known(name: string): boolean;
  /** Names in hidden tests: whoever uses the program meets them. */
  tested: ReadonlySet<string>;
  /** Whether a piece of code stands in lines that the change adds, and neither beside them nor in hidden tests. */
  brings(code: string): boolean;
}

/** Ways to write code, which no user can observe. */
const MEANS =
  /\b(?:optional chaining|nullish|spread (?:syntax|operator)|destructuring|template (?:literals?|strings?)|arrow functions?|null prototypes?|list comprehensions?|generator expressions?|f-strings?|walrus|type guards?|early returns?|lookbehinds?|regex(?:p|es)?|regular expressions?|look-?up tables?|hash ?maps?|weak ?(?:map|set|ref)s?|side[- ]channel|mutex|semaphore|singleton|memoi[sz]\w+|helper|subclass\w*|mixin|monkey-?patch\w*|call site|refactor\w*|temporary variable|module|standard library|std-?lib)\b/i;
/** Such words are about code wherever they stand. */
const STRONG_MEANS =
  /\b(?:optional chaining|spread (?:syntax|operator)|null prototypes?|(?:look-?(?:behind|ahead)) regex\w*|early[- ]returns?|list comprehensions?|walrus operator|call site)\b|\buse [`'"][-+*/%<>=!&|^~]+[`'"]|\b(?:forwards?|pass(?:es)?|delegates?|hands?) (?:it|them) (?:on )?to [`\w]*\.[`\w]+|\bpasses \S+ as (?:the|an?) \w+\b|^(?:[`\w.$, ]+: )?(?:expand|improve|update|change|adjust|tweak|simplify|fix|rewrite) (?:\S+ ){0,5}?regex(?:p|es)?s?$/i;
/** Words of who wrote the code, about the code and its tests. */
const WORK =
  /\b(?:internal(?:s|ly)?|under the hood|implementation detail\w*|refactor\w*|no functional change|mypy|pyright|norecursedirs|tox|(?:test|unit) (?:cases?|suite|file)|tests? (?:are|is|was|were)|(?:new|one|two|three|existing|some|more|a|the) (?:unit |regression |pytest )?tests?|doc ?strings?|variable names?|code ?(?:path|base)s?|easier to (?:reason|read|maintain)|slightly faster|with this fix|rather than (?:adding|explicitly|using|walking|calling)|instead of (?:walking|using|adding|calling|methods)|linter?|easy way out|(?:is|are) implemented (?:with|by|using|as|in terms of)|removes? (?:the )?(?:last |all |any )?(?:use|usage|uses|calls?|imports?) of|code review|(?:readme|docs?) updates?|copy-?past\w+|AI (?:helped|assisted|generated)|(?:this|the) approach|unnecessary (?:imports?|code|checks?)|\bwe(?:'ll| now| simply| just| then| can| need to| have to)* (?:try|call|use|pass|check|store|need|work ?around|define|walk|wrap|set|add|copy|replace)\b|\bI(?:'m|'ve| (?:think|reali[sz]ed|wondered|guess|was|am|plan|may|might|have|also|will|do not|don't))\b|^maybe\b|\b(?:isn't|not) quite (?:finished|done)\b|^may as well\b|refines? tests|a commit (?:pushed|made)|benchmarks?|verified (?:against|by|with|locally))\b/i;
const IMPERATIVE =
  /^(?:also |just |simply |now |instead,? )?(?:use|using|uses|used|switch(?:ed|es)?(?: over)?|replac(?:e|es|ed)|rewrit(?:e|es)|rewrote|move[sd]?|extract(?:s|ed)?|inline[sd]?|wrap(?:s|ped)?|call(?:s|ed)?|pass(?:es|ed)?|access(?:es|ed)?|import(?:s|ed)?|delegat(?:e|es|ed)|rely|relies|stor(?:e|es|ed)|cach(?:e|es|ed)|cast(?:s)?|assign(?:s|ed)?|instantiat(?:e|es|ed)|subclass(?:es|ed)?|check(?:s|ed)?|test(?:s)? for|compare[sd]?|check(?:s|ed)? for|add(?:s|ed)? (?:an? |the |some )?(?:\w+ )?(?:check|guard|condition|clause|branch|helper|fallback|wrapper|try|assertion|null check|import|variable|parameter to)\b|introduce[sd]?|convert(?:s|ed)?|change[sd]? \S+ (?:to|from)|make[sd]? \S+ use|let \S+ use|temporarily|chang(?:e|es|ed) the (?:implementation|code|regex))\b/i;
/** A sentence about what was done. */
const REMEDY =
  /^(?:the|this|my|our) (?:fix|solution)\b|^(?:fix(?:ed|es)?|solve[sd]?|address(?:ed|es)?) (?:this|it|that) by\b/i;
/** Verbs of a sentence that asks for something; what of code it names tells whether it is the need. */
const ASKS = new RegExp(
  `^(?:(?:also|just|simply|now|only|instead|then),? )*(?:${VERBS}|add|anchor|build|collect|correct|guard|hoist|make|pair|thread|track|use|walk|materiali[sz]e|prefer|iterate|short-circuit|bail|include|implement|do not|don't)\\b`,
  'i',
);
/** Verbs of what a program shall do, and not somebody with it. */
const NEED =
  /^(?:allow|support|ensure|preserve|keep|raise|throw|return|warn|show|display|prompt|ask|print|report|reject|accept|refuse|ignore|do not|don't|never|detect|recogni[sz]e|respect|honou?r|validate|deprecate|fail|exit|add|implement|introduce|remove|rename|expose)\b/i;
/** Parts of code that have no name for users. */
const PARTS =
  /\b(?:guards?|fast[- ]path|slow[- ]path|code ?paths?|short-?circuit\w*|closures?|(?:negative )?look-?(?:ahead|behind)s?|branch(?:es)?|(?:the|each|inner|outer|main) loop|up ?front|siblings?|bookkeeping|if[- ]statements?|top-level driver|data structure)\b/i;
/** Code of another library or package does the work. */
const LIBRARY =
  /^(?:use|using|switch(?:ed)? to|migrate[sd]? to|adopt) (?:the )?[\w`@/.-]+ (?:package|library|lib)\b|^use \S+$/i;
/** What comes before what: the order of two steps of code. */
const ORDER =
  /^(?!(?:raise|throw|return|warn|reject|report|print|show|ask|prompt|exit|fail|validate)\b)[a-z]+\b.*\b(?:before|after|prior to) (?:\w+ly )?([a-z]{3,})ing\b/i;
/** What somebody concluded for the code from what the sentence told. */
const CONCLUSION =
  /(?:,? so|;)\s+(?:just |simply |instead )?(?:add|use|implement|include (?:it|the)|make|call|pass|move|check for|wrap|convert|replace|switch|restore|copy|guard|compare|treat|thread)\b(?! (?:of|is|are|was)\b).*$|,? (?:mirroring|matching (?:the (?:sibling|other|existing)|how|what))\b.*$/;
const SWAP =
  /\b(?:instead of|rather than|over|in favou?r of|with)\s+(?:the |an? |deprecated |plain |explicit )*[`\w.$()/@-]+/i;
/** What a user would say of the code of a program. */
const OBSERVED =
  /\b(?:error|message|output|header|option|flag|argument|parameter|setting|default|result|value|return|raise|throw|warn|exit|prompt|log|response|url|key|name|text|type)s?\b/i;
const PURPOSE = /\b(?:to|in order to|so (?:that|as to)|such that|because|since|which|in case|when|if)\s+(.{12,})$/i;
const PURPOSE_VERB =
  /^(?:to |in order to |so as to )(?:not |also |correctly |properly )?(avoid|prevent|allow|support|ensure|preserve|keep|respect|match|handle|accept|reject|return|raise|throw|include|exclude|ignore|fix|make|let|enable|stop)\b/i;

/** Shorter code is an operator or a bracket, of which any program is full. */
const MIN_PIECE = 5;
/** What has more letters and spaces than this share is a message. */
const PROSE = 0.85;
/** With fewer words, what is left of a sentence tells nothing. */
const MIN_WORDS = 5;

export interface PatchOptions {
  /** The text was written for users: it may name several things that the change touches. Default false. */
  forUsers?: boolean;
}

/** A name as the means to an end. */
const BY_MEANS_OF = (name: string): RegExp =>
  new RegExp(
    `\\b(?:to (?:use|call|rely on)|by (?:using|calling|passing|adding)|using|via)\\s+(?:the |a |an )?[\`\\w.]*${name.replaceAll('$', '\\$')}\\b`,
  );

/** Lists the identifiers that a text shows as code: in backticks, dotted, called, or in the spelling of code. */
export function codeNames(text: string): string[] {
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const bare = text.replace(/`[^`]*`/g, ' ');
  const spelled =
    bare.match(/[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+|[A-Za-z_$][\w$]*(?=\()|\b[a-z]+[A-Z]\w*|\b\w+_\w+/g) ?? [];
  return [...new Set([...spans, ...spelled].flatMap((code) => code.match(/[A-Za-z_$][\w$]*/g) ?? []))].filter(
    (name) => name.length > 2,
  );
}

/** Whether a title asks for something and names nothing that users know: a step of the work, likely. */
export const isOrder = (title: string): boolean =>
  ASKS.test(title) && !NEED.test(title) && !NAME.test(title.replace(/^\w+ /, ''));

/** Lists what a text shows as code that is no mere name. */
const codePieces = (text: string): string[] =>
  [...text.matchAll(/(`+)([^`]+)\1|(?<!\w)(['"])([^'"]+)\3(?!\w)/g)]
    .map(([, , code, , quoted]) => (code ?? quoted ?? '').trim())
    .filter((piece) => piece.length >= MIN_PIECE && /[=<>+*%&|!?()[\]{}]/.test(piece) && /\w/.test(piece))
    .filter((piece) => (piece.match(/[A-Za-z ]/g) ?? []).length < piece.length * PROSE);

/** Lists the verbs that a gerund without its ending may be of: `writ`, `splitt`, `unlink`. */
const gerundForms = (stem = ''): string[] =>
  stem === '' ? [] : [stem, `${stem}e`, ...(/(\w)\1$/.test(stem) ? [stem.slice(0, -1)] : [])];

/**
 * Why a sentence tells the change and not the need; null when it does not: it names what only the change brings and
 * no test uses, or it says how code is to be written.
 */
export function tellsPatch(
  sentence: string,
  { added, beside, variables, known, tested, brings }: ChangeWords,
  { forUsers = false }: PatchOptions = {},
): string | null {
  const names = codeNames(sentence).filter((name) => !/^__\w+__$/.test(name));
  const fresh = names.find((name) => added.has(name) && !known(name) && !tested.has(name));
  if (fresh !== undefined) return `it names ${fresh}, which only the change brings`;
  const inside = names.filter((name) => added.has(name) && !tested.has(name));
  const touched = names.filter((name) => (added.has(name) || beside.has(name)) && !tested.has(name));
  if (!forUsers && (touched.length >= 2 || touched.some((name) => variables.has(name))))
    return `it names internals: ${touched.join(', ')}`;
  if (STRONG_MEANS.test(sentence) || (!forUsers && WORK.test(sentence))) return 'it says how the code is to be written';
  if (inside.some((name) => BY_MEANS_OF(name).test(sentence)))
    return `it says how the code is to be written: ${inside[0]}`;
  const code = forUsers ? undefined : codePieces(sentence).find(brings);
  if (code !== undefined) return `it quotes the change: ${code}`;
  const rest = sentence.slice(scopeOf(sentence).length).trim();
  if (REMEDY.test(sentence) || LIBRARY.test(rest)) return 'it tells what was done';
  if (!forUsers && ASKS.test(rest)) {
    const part = PARTS.exec(rest)?.[0];
    if (part !== undefined && !tested.has(part)) return `it names a part of the code: ${part}`;
    const step = gerundForms(ORDER.exec(rest)?.[1]).find((verb) => added.has(verb) || beside.has(verb));
    if (step !== undefined && !tested.has(step)) return `it orders steps of the code: ${step}`;
  }
  if (!IMPERATIVE.test(rest)) return null;
  if (MEANS.test(rest) && !tested.has(MEANS.exec(rest)?.[0] ?? '')) return 'it says how the code is to be written';
  const inner = codeNames(rest).filter((name) => !tested.has(name));
  if (inner.some((name) => added.has(name)))
    return `it says how the code is to be written: ${inner.find((name) => added.has(name))}`;
  if (/^(?:use|using|uses|used|switch|replac)/i.test(rest) && SWAP.test(rest) && !OBSERVED.test(rest))
    return 'it says what code takes the place of other code';
  return null;
}

/**
 * Leaves of a text what tells the need: sentences about the change go, or shrink to the purpose that they name.
 */
export function withoutPatch(text: string, words: ChangeWords, options: PatchOptions = {}): string {
  return text
    .split('\n')
    .map((line) => {
      const marker = /^\s*(?:[-*+]|\d+[.)])\s+|^\s*/.exec(line)?.[0] ?? '';
      const sentences = splitSentences(line.slice(marker.length));
      const kept = sentences.flatMap((whole) => {
        const sentence = options.forUsers ? whole : withoutConclusion(whole);
        if (tellsPatch(sentence, words, options) === null) return [sentence];
        const purpose = purposeOf(sentence);
        return purpose !== null && tellsPatch(purpose, words, options) === null ? [purpose] : [];
      });
      return kept.length === 0 && sentences.some((sentence) => sentence !== '') ? null : `${marker}${kept.join(' ')}`;
    })
    .filter((line) => line !== null)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Cuts off what a sentence concludes for the code. */
function withoutConclusion(sentence: string): string {
  const cut = sentence.replace(CONCLUSION, '');
  return cut === sentence || cut.trim().split(/\s+/).length < MIN_WORDS ? sentence : `${cut.trimEnd()}.`;
}

/** The purpose that a sentence about code names: `… to avoid X` becomes `Avoid X`. */
function purposeOf(sentence: string): string | null {
  const scope = scopeOf(sentence);
  const clause = PURPOSE.exec(sentence.slice(scope.length))?.[0] ?? '';
  const verb = PURPOSE_VERB.exec(clause)?.[1];
  if (verb === undefined) return null;
  const told = clause.slice(clause.toLowerCase().indexOf(verb.toLowerCase()));
  return scope === '' ? `${told.charAt(0).toUpperCase()}${told.slice(1)}` : `${scope}${told}`;
}
