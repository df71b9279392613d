/** Words of interpreters, package managers, compilers and test runners in a line that says what went wrong. */
const CAUSE =
  /\w*[Ee]rror\b|\w+Exception\b|\bERR(?:!|_\w+|OR\b)|\bE[A-Z]{4,}\b|\b[Ff](?:atal|ailed|ailure)\b|\b[Cc](?:annot|ould not)\b|\b(?:not found|[Nn]o such|[Mm]issing|denied|refused)\b/;
/** Lines that match and say nothing: headings, counts, advice, and where a log lies. */
const HEADING =
  /^(?:=+|_+|-+)[^=_-]*(?:=+|_+|-+)$|^\d+ (?:errors?|failed|failures?)\b|\b0 (?:errors?|failed)\b|complete log of this run|^(?:npm )?(?:warn(?:ing)?)\b|deprecated/i;
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;]*m/g;
const GAP = ' … ';
/** A program that another one starts may say why before that one tells of its failure. */
const LINES_BEFORE = 2;
/** Of what was printed, so much of the begin and of the end is looked at, and so much of a line. */
const SIDE = 128 * 1024;
const LINE = 1000;

/**
 * Cuts the middle out of a flood, and the end off its lines. What a hostile program prints must not cost more than it
 * tells: patterns take long on long lines.
 */
export function withoutFlood(output: string): string {
  const sides = output.length <= 2 * SIDE ? output : `${output.slice(0, SIDE)}\n${output.slice(-SIDE)}`;
  return sides
    .split('\n')
    .map((line) => line.slice(0, LINE))
    .join('\n');
}

/**
 * Shortens what a failed program printed to one line of at most `limit` characters, without losing its cause. What does
 * not fit whole begins shortly before the first line that names one and goes on as far as fits, and then come the last
 * lines, where tracebacks and package managers conclude.
 */
export function tellingText(output: string, limit: number): string {
  const lines = withoutFlood(output)
    .replace(COLOUR, '')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
  const cause = lines.findIndex((line) => CAUSE.test(line) && !HEADING.test(line));
  const whole = lines.join(' | ');
  if (whole.length <= limit) return whole;
  const text = lines.slice(Math.max(cause - LINES_BEFORE, 0)).join(' | ');
  if (text.length <= limit) return text;
  const head = cause < 0 ? 0 : Math.ceil((limit - GAP.length) * 0.6);
  return `${text.slice(0, head)}${GAP}${text.slice(head + GAP.length - limit)}`;
}
