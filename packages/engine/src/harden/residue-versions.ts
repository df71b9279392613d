const SUFFIX =
  '(?:[-.+]?(?:a|b|c|rc|alpha|beta|dev|post|pre|preview|canary|next|snapshot|final|m)[-.]?\\d*)*(?:\\.?(?:x|\\*))?';
const DOTTED = `\\d+(?:\\.\\d+)+${SUFFIX}`;
const OPERATOR = '(?:[<>]=?|\\^|~[=>]?|[=!]==?|≤|≥)';

/** Platforms and languages, whose versions say nothing about the project's. */
const PLATFORM =
  /(?:\b(?:c?python|pypy|jython|node(?:\.?js)?|nodejs|deno|bun|typescript|java(?:script)?|jdk|jre|ruby|golang|go|rust|php|perl|lua|gcc|clang|msvc|windows|macos|mac os x?|os x|ios|android|ubuntu|debian|fedora|centos|alpine|linux|kernel|glibc|musl|chrome|chromium|firefox|safari|edge|ie|opera|webkit|http|https|tls|ssl|ssh|ftp|smtp|es|ecmascript|unicode|xml|html|xhtml|css|svg|json|yaml|toml|pdf|usb|opengl|sql|soap|oauth|openapi|swagger|rfc|pep|iso|section|sec|chapter|figure|table|clause|annex|rule|step|level|wcag|posix|c\+\+|c|draft|schema|protocol|format|api)\s*(?:version\s*|v\.?\s*)?[\s/-]*(?:[<>=~^]=?\s*)?|§\s*)$/i;
const LINE_CONTEXT =
  /\b(?:versions?|releases?d?|affect\w*|upgrad\w*|downgrad\w*|regress\w*|branch|vulnerab\w*|patched|fixed|introduced|prior|since|until|before)\b/i;
const UNIT =
  /^\s*(?:s|ms|us|ns|sec\w*|min\w*|hours?|days?|times?|x|px|em|pt|kb|mb|gb|kib|mib|gib|bytes?|%|percent|degrees?|°|points?|hz|khz|mhz|ghz|m|cm|mm|km|kg)\b/i;
const IP_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * Numbers that are versions, with the words before them. A bare number with one dot is kept unless something marks it
 * as a version.
 */
export const VERSION_PATTERNS: readonly RegExp[] = [
  // 1.2.3, v1.2.3, >= 1.2.3
  new RegExp(`(?:${OPERATOR}\\s*)*(?<![\\w.])[vV]?\\.?\\d+\\.\\d+(?:\\.(?:\\d+|x|\\*))+${SUFFIX}(?![\\w]|\\.\\d)`, 'g'),
  // v1.2, V2.x
  new RegExp(`(?<![\\w.])[vV]\\.? ?(?:${DOTTED}|\\d+\\.x)(?!\\w)`, 'g'),
  // 6.x, 6.1.x
  /(?<![\w.])\d+(?:\.\d+)*\.(?:x|X|\*)(?!\w)/g,
  // version 6.1, release 2.0, in version 6, versions 1.2 and 1.3
  new RegExp(
    `\\b(?:versions?|releases?|ver\\.|rel\\.)[ :=]*(?:${OPERATOR}\\s*)?[vV]?${DOTTED}(?:\\s*(?:,|-|to|and|or|through|until)\\s*(?:${OPERATOR}\\s*)?[vV]?${DOTTED})*(?!\\w)`,
    'gi',
  ),
  new RegExp(
    `\\b(?:in|since|before|until|after|from|to|as of|prior to|than|affects?|${OPERATOR})\\s+(?:the\\s+)?(?:versions?|releases?)\\s+(?:${OPERATOR}\\s*)?\\d+${SUFFIX}(?!\\w|\\.\\d)`,
    'gi',
  ),
  // < 6.1, >=1.0,<2.0, ^1.2
  new RegExp(
    `${OPERATOR}\\s*[vV]?${DOTTED}(?:\\s*(?:,|\\|\\||and|or)?\\s*${OPERATOR}\\s*[vV]?\\d+(?:\\.\\d+)*${SUFFIX})*(?!\\w)`,
    'g',
  ),
  // fixed in 6.1, regression since 6.1, upgrade to 2.0, 2.0 release
  new RegExp(
    `\\b(?:fix(?:ed|es)?|patch(?:ed)?|resolved|addressed|released|shipped|introduced|regress\\w*|broken?|appeared|landed|backport\\w*|deprecated|upgrad\\w*|downgrad\\w*|bump\\w*|works?|worked|started|begin\\w*|began)\\b[^.\\n]{0,30}?\\b(?:in|since|to|as of|with|on|for|from|into)\\s+(?:the\\s+)?(?:branch\\s+)?[vV]?${DOTTED}(?!\\w)`,
    'gi',
  ),
  new RegExp(
    `\\b(?:since|as of|prior to|earlier than|older than|newer than|later than|starting (?:with|from|in)|up to and including|before|until|through|up to)\\s+(?:and including\\s+)?[vV]?${DOTTED}(?!\\w)`,
    'gi',
  ),
  new RegExp(
    `(?<![\\w.])${DOTTED}\\s+(?:release|branch|and (?:earlier|later|older|newer|below|above|prior|up)|or (?:earlier|later|older|newer|below|above|greater|higher|lower)|onwards?)\\b`,
    'gi',
  ),
  new RegExp(`(?<![\\w.])${DOTTED}\\+(?![\\w.])`, 'g'),
  // [3.11] backport
  /^\s*\[v?\d+(?:\.\d+)+\]/gm,
  // 1.0.0rc1 without a third part: 2.0rc1, 2.0b3
  /(?<![\w.])\d+\.\d+(?:\.\d+)*[-.]?(?:a|b|rc|alpha|beta|dev|post)[-.]?\d+(?!\w)/gi,
];

/** Whether a number only looks like a version of the project. */
export function isVersionKept(match: RegExpExecArray): boolean {
  const [text] = match;
  const before = match.input.slice(Math.max(0, match.index - 48), match.index);
  const after = match.input.slice(match.index + text.length, match.index + text.length + 16);
  const number = /\d[\w.*-]*$/.exec(text.trim())?.[0] ?? text;
  if (IP_ADDRESS.test(number) || number.split('.').length > 4) return true;
  if (/\d$/.test(text) && UNIT.test(after)) return true;
  if (PLATFORM.test(before)) return true;
  if (PLATFORM.test(text.slice(0, text.length - number.length))) return true;
  if (new RegExp(`^${OPERATOR}\\s*[vV]?\\d+\\.\\d+$`).test(text)) return isComparison(match.input, match.index);
  if (/^(?:before|until|through|up to)\s/i.test(text) && number.split('.').length < 3)
    return !LINE_CONTEXT.test(lineAround(match.input, match.index).replace(text, ''));
  return false;
}

/** Whether a comparison is about a value (`x < 0.5`) and not about a version (`affects < 6.1`). */
function isComparison(input: string, index: number): boolean {
  const line = lineAround(input, index);
  if (LINE_CONTEXT.test(line)) return false;
  return /[\w)\]]\s*$/.test(input.slice(Math.max(0, index - 24), index));
}

function lineAround(input: string, index: number): string {
  const start = input.lastIndexOf('\n', index) + 1;
  const end = input.indexOf('\n', index);
  return input.slice(start, end < 0 ? input.length : end);
}
