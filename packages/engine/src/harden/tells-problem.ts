import { scopeOf, sentencesOf } from './sentences.ts';

/** What a text tells of a problem. An instruction needs both. */
export interface Telling {
  /** What it is about: a name, or a thing in more than one word of its own. */
  subject: boolean;
  /** What one observes: what goes wrong, what should happen, or the situation in which it does not yet. */
  outcome: boolean;
}

const EMPTY_WORDS = new Set(
  `a an the of to in on at by for from with and or nor but if so as is are was were be been being it its this that these those there here then than when while where which who what how why
  do does did done not no also only just all any some each every more most other such same own too very can could may might must shall should will would we you i they he she our your their my
  fix fixes fixed fixing bug bugs bugfix bugfixes hotfix issue issues problem problems error errors minor small tiny misc miscellaneous various several stuff thing things change changes changed update updates updated updating
  test tests testing tested code codes typo typos cleanup clean up refactor refactored refactoring improve improves improved improvement improvements better add adds added adding remove removes removed
  make makes made use uses used using handle handles handled handling support supports correct corrects corrected correctly proper properly case cases edge wip work works working review comments feedback
  file files method function class module tweak tweaks tweaked adjust adjusts lint linting format formatting style merge revert regression regressions correctness broken behavior behaviour robustness logic check checks mode
  allow allows allowed prevent prevents ensure ensures get gets getting set sets new feature option options parse parsing implement implements implemented implementation initial first rework attempt try another again finally plugin message messages`.split(
    /\s+/,
  ),
);

export const NAME =
  /`[^`]+`|(?<![\w-])--?[a-z][\w-]+|\b[a-z]\w*[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\w_\w|_\w{2}|\w\(\)?|[A-Za-z]\w*\.[a-z_]\w|@[a-z]\w|\b[A-Z]{2,}\b|(?<=[a-z,] )(?!None|Null|True|False)[A-Z][a-z]+|"[^"]{2,}"|'[^']{2,}'/;

/** What goes wrong. */
const FAILURE =
  /\b(?:[A-Z]\w*(?:Error|Exception|Warning)s?|exceptions?|cycles?|errors? (?:when|if|on|for|with|in|out)|crash\w*|segfault\w*|hang(?:s|ing)?|hung|freez\w+|froze|infinite|endless|forever|loops?|leak\w*|fail(?:s|ed|ing|ures?)?|rais(?:e|es|ed|ing)|throw(?:s|n|ing)?|threw|breaks?|breaking|wrong(?:ly)?|incorrect(?:ly)?|erroneous(?:ly)?|spurious(?:ly)?|unexpected(?:ly)?|accidental(?:ly)?|silent(?:ly)?|missing|lost|los(?:e|es|ing)|drop(?:s|ped|ping)|duplicate[sd]?|doubl(?:e|ed|ing|y)\b|double-\w+|twice|corrupt\w*|garbl\w+|truncat\w+|stale|overflow\w*|underflow\w*|race|deadlock\w*|unhandled|swallow\w*|pollut\w+|overwr(?:ite|ites|itten|iting)|overrid(?:e|es|den|ing)|mutat\w+|mangl\w+|mis\w{4,}ed|off-by-one|unable|impossible|inconsistent(?:ly)?|undefined|NaN|vulnerab\w+|inject\w+|bypass\w*|traversal|DoS|ReDoS|XSS|stops?|stopped|stuck|too (?:long|large|many|early|late|few|short|small)|out of (?:memory|range|bounds)|gets? \w+ed|bad(?:ly)? \w+ing|wrap(?:s|ped|ping)? around|differs?|(?:is|are) different)\b/i;

/** What should happen, or should not. */
const EXPECTATION =
  /\b(?:do(?:es)? not|did not|don['’]?t|doesn['’]?t|didn['’]?t|isn['’]?t|aren['’]?t|won['’]?t|can['’]?t|cannot|can not|not|no longer|never|without|avoid\w*|prevent\w*|instead(?: of)?|rather than|should(?:n['’]?t)?|must|needs? to|expect\w*|now|only|always|even (?:if|when|though)|except|unless|until|regardless|returns?|returned|returning|result(?:s|ing)? in|produc\w+|yields?|gives?|outputs?|prints?|shows?|shown|displays?|emits?|warns?|logs?|becomes?|respect\w*|honou?r\w*|match\w*|preserv\w*|keeps?|kept|is (?:now )?(?:\w+ly )?\w+(?:ed|en)|are (?:now )?(?:\w+ly )?\w+(?:ed|en)|(?:added|removed|supported|ignored|allowed|rejected|deprecated)$|(?:functionality|ability|possibility|way) (?:to|of)|so that|in order to|default(?:s|ed)? to|by default|consistent(?:ly)?|(?<=, )(?:enabling|allowing|making|causing)|takes? (?:\w+ )?into account|treat\w*|falls? back|previously|was (?:\w+ly )?\w+(?:ed|en)|were (?:\w+ly )?\w+(?:ed|en))\b/i;

/** Verbs whose object one can observe, at the beginning of a title. */
export const VERBS = `abort|accept|assume|backtrack|export|fall|accumulate|allow|append|apply|ask|auto-?detect|bind|block|bound|broadcast|cache|cancel|cap|call|capture|cast|catch|chain|check|clamp|clear|clone|close|coerce|collapse|compare|complete|compute|concat|consume|convert|copy|count|decode|default|defer|delete|deny|deprecate|deserialize|detect|differentiate|disable|disallow|discard|discover|display|distinguish|drop|emit|enable|encode|end|enforce|ensure|escape|evaluate|exclude|execute|exit|expand|expose|extend|fail|filter|find|finish|flatten|flush|fold|follow|forbid|force|forward|give|guard|hide|highlight|hono(?:u)?r|identify|ignore|include|infer|inherit|initiali[sz]e|insert|invoke|join|keep|land|launch|leave|let|limit|list|load|log|look up|lowercase|map|mark|match|measure|mention|merge|move|normali[sz]e|omit|open|order|overwrite|parse|pass|permit|persist|pick|position|preserve|print|process|produce|prohibit|prompt|propagate|protect|provide|publish|quote|raise|read|recogni[sz]e|recover|redirect|reject|release|remember|remove|rename|render|repeat|replace|report|require|reset|resolve|respect|restore|restrict|resume|retain|retry|return|reuse|reverse|round|run|sanitize|save|scan|scope|select|send|separate|seriali[sz]e|set|show|skip|sort|split|stabili[sz]e|start|stop|store|stream|stringify|strip|suppress|surface|swallow|switch|synchroni[sz]e|take|terminate|throw|tokeni[sz]e|toggle|tolerate|track|transform|translate|transliterate|treat|trim|truncate|unescape|unify|unquote|unwrap|uppercase|validate|verify|wait|warn|wrap|write|yield`;
/** Verbs whose object one can observe: at the beginning of a title, or behind its subject. */
const TELLING_VERB = new RegExp(`^(?:auto-?|un|de)?(?:${VERBS})(?:s|es|d|ed|n|ing|ped|ts|ting|ted)?\\b`, 'i');
const ADVERB =
  /^(?:(?:also|always|only|properly|correctly|automatically|actually|consistently|and|just|temporarily)\s+)+/i;
const PURPOSE = new RegExp(`\\b(?:to|and) (?:not |correctly |also |only )?(?:${VERBS}|support|handle)\\b`, 'i');
const PREDICATE = new RegExp(
  `^[\\w\`.()]+ (?:[\\w\`.()-]+ ){0,2}(?:${VERBS}|handle|receive|support|use)(?:s|es)\\b`,
  'i',
);
/** The same of a thing with a name, in titles that were written in haste. */
const NAMED_PREDICATE = new RegExp(
  `^(?:\`[^\`]+\`|[a-z]\\w*[A-Z]\\w*|\\w+\\.\\w+|\\w+\\(\\)) (?:${VERBS}|handle|receive|support)\\b`,
);
/** In a sentence of some length: what something does. */
const DESCRIPTION = new RegExp(
  `\\S (?:${VERBS}|happen|occur|cause|remain|stay|lead|reveal|affect|change|work|reach|make|do|go|get|have|ha|take|need|want|contain)(?:s|es)\\b|\\S (?:remain|stay|happen|occur|could|may|can)\\b`,
  'i',
);

/** A new thing that has a name or a purpose. */
const NEW_THING =
  /^(?:add(?:s|ed|ing)?|implement(?:s|ed)?|introduc(?:e|es|ed)|new|provid(?:e|es|ed)|creat(?:e|es|ed)|expos(?:e|es|ed)|support(?:s|ed|ing)?|enabl(?:e|es|ed)|feat)\b/i;
const NEW_KIND =
  /\b(?:option|options|parameter|parameters|param|argument|arguments|arg|flag|flags|keyword|validator|field|fields|method|function|property|attribute|attr|setting|settings|command|subcommand|plugin|locale|util|utility|hook|callback|event|helper|decorator|type|class|exception|error|format|mode|serializer|signature|support|header|token|character|characters|language|languages|alias|handler|converter|api|warning|state|result)s?\b/i;

/** A new function of which nothing is said but its name. */
const BARE_THING =
  /^\w+ (?:(?:an?|the|new)\s+)*(?:\S+ (?:and \S+ )?)?(?:util(?:s|ity|ities)?|functions?|methods?|helpers?)$|^\w+ `?[\w.]+`?(?:\(\))?$/i;

/** Circumstances under which something does not work yet. */
const SITUATION =
  /\b(?:when|while|if|after|before|during|unless|where|whose|which|given|being|with(?:out)?|under|across|between|inside|within|containing|using|having|starting|ending|at the (?:end|beginning|start)|on (?:\w+ )?(?:exit|start\w*|close|error|failure|import|reload|windows|linux|macos))\b/i;
/** Kinds of input that such verbs do not cope with yet. */
const KIND_OF_INPUT =
  /\b(?:empty|blank|null|none|nil|undefined|nan|zero|negative|missing|absent|leading|trailing|nested|recursive|cyclic|circular|invalid|malformed|unknown|unsupported|multiple|single|multi-?\w*|large|huge|long|short|deep|unicode|non-?\w+|duplicate\w*|repeated|optional|relative|absolute|uppercase|lowercase|case-?\w*|white-?space\w*|quoted|escaped|encoded|colou?red|frozen|inherited|falsy|truthy|custom|explicit|implicit|callable|dotted|plural|partial|boolean|numeric|async\w*|concurrent|parallel|closed|broken|hidden|existing|first|last|different|mixed|windows|linux|macos|posix|unc|utc|dst|ipv\d|utf-?\d+\w*|ascii|bytes?|binary|surrogate\w*|infinity|bigint|float\w*|decimal\w*|prefix\w*|suffix\w*|uncommon|inline|raw|strict|sub-?\w+|double|very)\b/i;
/** Verbs that say which input is to be coped with. */
const COPING =
  /^(?:handl|support|cop(?:e|es|ed)\b|deal|consider|account|catch|implement|add|make)|^(?:fix(?:es|ed)?|improve[sd]?|correct(?:s|ed)?) (?:the )?(?:handling|behaviou?r|parsing|treatment|support|case|detection|processing|reading|writing|crash|error)\b/i;
const WEAK_VERB =
  /^(?:fix(?:e[sd]|ing)?|handl(?:e|es|ed|ing)|support(?:s|ed|ing)?|cope[sd]?(?: with)?|deal[st]? with|consider(?:s|ed)?|account(?:s|ed)? for|correct(?:s|ed|ly)?|improv(?:e|es|ed)|adapt(?:s|ed)?|adjust(?:s|ed)?|make[sd]?|made|update[sd]?|change[sd]?|better|enhance[sd]?|implement(?:s|ed)?|refine[sd]?|catch|add(?:s|ed)?)\b/i;

/** States of input that code often does not expect: to mend them says what goes wrong. */
const STATE =
  '(?:empty|blank|null|none|nil|undefined|nan|zero|negative|missing|absent|leading|trailing|nested|recursive|cyclic|circular|invalid|malformed|unknown|large|huge|long|deep|duplicate\\w*|repeated|uppercase|lowercase|white-?space|infinit\\w+|surrogate\\w*|out-of-\\w+)';
const MENDED_STATE = new RegExp(
  `^(?:fix(?:es|ed)?|correct(?:s|ed)?|mend(?:s|ed)?) (?:(?:an? |the )?(?:bugs?|regressions?|issues?|problems?|errors?) (?:(?:for|with|in|on|of) |\\w+ing )?|\\w+ing |\\S+ option (?:on|for|with|of) )?(?:an? |the )?${STATE}(?! (?:mode|bugs?|issues?|problems?|errors?|tests?|things?|typos?))\\b|^(?:fix(?:es|ed)?|correct(?:s|ed)?|improve[sd]?) .*\\b${STATE}\\b.* (?:handling|support|parsing|behaviou?r|detection|processing)\\b`,
  'i',
);

/** A new thing, and perhaps where, and not what it is for: its name alone tells nobody what it does. */
const NO_PURPOSE =
  /^(?:add(?:s|ed|ing)?|implement(?:s|ed)?|includ(?:e|es|ed)|introduc(?:e|es|ed)|creat(?:e|es|ed)|provid(?:e|es|ed)|expos(?:e|es|ed)|export(?:s|ed)?|new) (?:(?!(?:support|to|for|of|from|in|with|when|that|and)\b)\S+ ){0,5}(?:util(?:s|ity|ities)?|functions?|methods?|helpers?|recipes?|decorators?|class(?:es)?|options?|parameters?|params?|arguments?|args?|flags?|plugins?|plugin support|locales?|commands?|hooks?|propert(?:y|ies)|attributes?|settings?|iterators?|fields?|field types?|validators?|utilit(?:y|ies))(?: (?:to|in|into|of) (?:the )?\S+(?: (?:and|,) \S+| method| function| class)?)?$/i;
/** Words and forms of a language, which nobody can find in a program. */
const LOCALE =
  /^(?:(?:add|updat|fix|improv|implement|correct|chang)(?:e?[sd]|e)? .*\b(?:locales?|translations?)\b|\w+ .* (?:in|for|of) .*\btranslations?$)/i;
const BARE_NAME = /^(?:add|expose|export|implement|introduce|provide|include)(?:s|d|ed)? (?:`[^`]+`|[\w.]+)(?:\(\))?$/i;
/** What is too short to say what goes wrong. */
const SHORT_FIX = /^(?:fix(?:e[sd])?|improve[sd]?|update[sd]?) \S+ \S+$/i;
/** A verb without an object. */
const NO_OBJECT = /^\w+ (?:by|in|on|at|for|with|from) \S+$/;

/** Whether a title and a body tell what is wrong or wanted, and with what. */
export function tellsProblem(title: string, body: string): Telling {
  const shortened = body.replace(/```[\s\S]*?```/g, (block) => block.slice(0, 600));
  const told = [title, ...sentencesOf(shortened)].map(tells);
  return {
    subject: told.some(({ subject }) => subject),
    outcome: told.some(({ outcome, subject }) => outcome && subject),
  };
}

/** Whether a title and a body say too little to work from. */
export function isThin(title: string, body: string): boolean {
  const { subject, outcome } = tellsProblem(title, body);
  return !subject || !outcome;
}

function tells(sentence: string): Telling {
  const subject = hasSubject(sentence);
  return { subject, outcome: subject && hasOutcome(sentence) };
}

function hasSubject(sentence: string): boolean {
  const words = sentence.match(/[A-Za-z_$][\w$'-]*/g) ?? [];
  if (words.length < 2) return false;
  const own = new Set(words.filter(isOwn).map((word) => word.toLowerCase()));
  return own.size >= 2 || (own.size === 1 && NAME.test(sentence));
}

/** A word in capitals is a name, whatever it means in lower case: `INTO`, `AS`. */
function isOwn(word: string): boolean {
  if (word.length < 2) return false;
  if (/^(?:none|null|undefined|true|false)$/i.test(word)) return false;
  return /^[A-Z]{2,}$/.test(word) || !EMPTY_WORDS.has(word.toLowerCase());
}

/** Whether one sentence tells what one observes. `scope: ` before it is no part of it. */
function hasOutcome(sentence: string): boolean {
  const scope = scopeOf(sentence);
  const rest = sentence.slice(scope.length).trim();
  if (namesNewThing(sentence) || (SHORT_FIX.test(rest) && scope === '' && !NAME.test(rest))) return false;
  if (FAILURE.test(rest) || EXPECTATION.test(rest)) return true;
  if (rest.split(/\s+/).length >= 7 && DESCRIPTION.test(rest)) return true;
  return rest.split(/[,;]\s+|\s+-+\s+/).some((clause) => tellsOutcome(clause.replace(ADVERB, ''), scope !== ''));
}

/** Whether a title names a new thing, and not what it is for. */
export const namesNewThing = (title: string): boolean => NO_PURPOSE.test(title.slice(scopeOf(title).length));

function tellsOutcome(clause: string, isScoped: boolean): boolean {
  const words = clause.match(/[A-Za-z_$][\w$'-]*/g) ?? [];
  if (words.length < (isScoped || NAME.test(clause) ? 2 : 3) || NO_OBJECT.test(clause)) return false;
  if (PURPOSE.test(clause)) return true;
  if (NO_PURPOSE.test(clause) || LOCALE.test(clause) || BARE_NAME.test(clause)) return false;
  if ([TELLING_VERB, PREDICATE, NAMED_PREDICATE, MENDED_STATE].some((pattern) => pattern.test(clause))) return true;
  if (NEW_THING.test(clause) && !BARE_THING.test(clause)) {
    if (NAME.test(clause) || /\bsupport (?:for|of)\b/i.test(clause) || NEW_KIND.test(clause)) return true;
  }
  if (!WEAK_VERB.test(clause) || BARE_THING.test(clause)) return false;
  const rest = clause.replace(WEAK_VERB, '');
  return (
    SITUATION.test(rest) || (COPING.test(clause) && (KIND_OF_INPUT.test(rest) || /`[^`]+`|["'][^"']+["']/.test(rest)))
  );
}
