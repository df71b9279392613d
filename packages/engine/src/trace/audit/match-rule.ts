import type { Act } from './act.ts';
import type { AuditRule, RulePattern, Span } from './audit-rule.ts';

/** Characters that a pattern is tried on at once, so that the cost grows only linearly with the text. */
const PIECE = 20_000;

/** Where an act is what a rule is about. */
export function matchRule(rule: AuditRule, act: Act): Span[] {
  return rule.patterns.filter((pattern) => pattern.on === act.kind).flatMap((pattern) => matchPattern(pattern, act));
}

function matchPattern({ matches, unless, where, notWhere }: RulePattern, act: Act): Span[] {
  if (
    act.kind === 'submitted-text' &&
    ((where !== undefined && !where.test(act.path)) || notWhere?.test(act.path) === true)
  )
    return [];
  if (typeof matches === 'function') return matches(act.text);
  const spans: Span[] = [];
  for (const { start, own, text } of piecesOf(act)) {
    const found = matches.exec(text);
    // A match that begins in the next line is found there.
    if (found !== null && found.index < own && unless?.test(text) !== true)
      spans.push({ start: start + found.index, end: start + found.index + found[0].length });
  }
  return spans;
}

interface Piece {
  start: number;
  own: number;
  text: string;
}

/** Cut once for all rules, and forgotten with the act. */
const recent = new WeakMap<Act, Piece[]>();

function piecesOf(act: Act): Piece[] {
  const known = recent.get(act);
  if (known !== undefined) return known;
  const hasLines = act.kind === 'code' || act.kind === 'submitted-text';
  const pieces = hasLines ? [...windows(act.text)] : [{ start: 0, own: PIECE, text: act.text.slice(0, PIECE) }];
  recent.set(act, pieces);
  return pieces;
}

/** Each line with the one after it; of long lines, each piece. */
function* windows(text: string): Generator<Piece> {
  let start = 0;
  while (start < text.length) {
    const end = endOfPiece(text, start);
    yield { start, own: end - start, text: text.slice(start, endOfPiece(text, end)) };
    start = end;
  }
}

function endOfPiece(text: string, start: number): number {
  const feed = text.indexOf('\n', start);
  return Math.min(feed === -1 ? text.length : feed + 1, start + PIECE, text.length);
}
