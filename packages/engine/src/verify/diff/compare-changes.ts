import { isUtf8 } from 'node:buffer';
import type { ChangeSet } from '@assay/files/change-set';
import { compareFile, type Tokens } from './compare-file.ts';

/** How much of a reference a submission repeats. */
export interface Comparison {
  /** Parts of the reference, in the order of their paths. */
  parts: { path: string; number: number; size: number; isEqual: boolean }[];
  /** Tokens that the submission changes beside them. */
  extra: number;
  /** Files that the submission leaves in a state which their language does not read. */
  broken: string[];
  /**
   * 1 for the same alone. Else half of the share of the reference that is there, less for what stands beside it: the
   * texts do not say whether that spoils it.
   */
  score: number;
}

/** Reads the tokens of files; null for one that its language does not read. */
export type ReadTokens = (sources: readonly { path: string; text: string }[]) => Promise<(readonly string[] | null)[]>;

export interface CompareRequest {
  reference: ChangeSet;
  submission: ChangeSet;
  /** Returns a file of T0; null where there is none. */
  before: (path: string) => Buffer | null;
  /** Whether a path is of the kind that counts. Tests, configuration and prose are not. */
  counts: (path: string) => boolean;
  /** Whether the language of the repository is that of a path. Others are compared by their lines. */
  isCode: (path: string) => boolean;
  readTokens: ReadTokens;
}

type Side = 'before' | 'reference' | 'submission';
const SIDES: readonly Side[] = ['before', 'reference', 'submission'];

/** A larger file is compared as a whole. */
const LARGEST = 512 * 1024;

/** Compares a submission with the reference, part by part. Nothing of either is run. */
export async function compareChanges(request: CompareRequest): Promise<Comparison> {
  const { reference, submission, counts } = request;
  const paths = [...new Set([reference, submission].flatMap(pathsOf))].filter(counts).sort();
  const files = paths.map((path) => ({ path, ...versionsOf(path, request) }));
  const { tokens, broken } = await tokensOf(files, request);
  const comparison: Omit<Comparison, 'score'> = { parts: [], extra: 0, broken };
  for (const { path } of files) {
    const { hunks, extra } = compareFile(tokens.get(path) ?? NONE);
    comparison.parts.push(...hunks.map((hunk, index) => ({ path, number: index + 1, ...hunk })));
    comparison.extra += extra;
  }
  return { ...comparison, score: scoreOf(comparison) };
}

const NONE: Record<Side, Tokens> = { before: null, reference: null, submission: null };

const pathsOf = ({ files, deleted }: ChangeSet): string[] => [...files.map(({ path }) => path), ...deleted];

function versionsOf(path: string, { before, reference, submission }: CompareRequest): Record<Side, Buffer | null> {
  const old = before(path);
  const after = ({ files, deleted }: ChangeSet): Buffer | null =>
    files.find((file) => file.path === path)?.content ?? (deleted.includes(path) ? null : old);
  return { before: old, reference: after(reference), submission: after(submission) };
}

type Versions = { path: string } & Record<Side, Buffer | null>;

async function tokensOf(
  files: readonly Versions[],
  { isCode, readTokens }: Pick<CompareRequest, 'isCode' | 'readTokens'>,
): Promise<{ tokens: Map<string, Record<Side, Tokens>>; broken: string[] }> {
  const isRead = (file: Versions): boolean =>
    isCode(file.path) && SIDES.every((side) => file[side] === null || isText(file[side]));
  const sources = files
    .filter(isRead)
    .flatMap((file) =>
      SIDES.flatMap((side) =>
        file[side] === null ? [] : [{ side, path: file.path, text: file[side].toString('utf8') }],
      ),
    );
  const found = new Map<string, Tokens>();
  // Apart, as a submission may be made to break the parser.
  for (const some of [
    sources.filter(({ side }) => side !== 'submission'),
    sources.filter(({ side }) => side === 'submission'),
  ]) {
    const read = some.length === 0 ? [] : await readTokens(some.map(({ path, text }) => ({ path, text })));
    for (const [index, { path, side }] of some.entries()) found.set(`${side} ${path}`, read[index] ?? null);
  }
  const tokens = new Map<string, Record<Side, Tokens>>();
  const broken: string[] = [];
  for (const file of files) {
    const of = (side: Side): Tokens => (file[side] === null ? null : (found.get(`${side} ${file.path}`) ?? null));
    const lost = SIDES.filter((side) => file[side] !== null && of(side) === null);
    const isForeign = !isRead(file) || lost.includes('before') || lost.includes('reference');
    if (!isForeign && lost.length > 0) broken.push(file.path);
    const each = isForeign || lost.length > 0 ? (side: Side) => linesOf(file[side]) : of;
    tokens.set(file.path, { before: each('before'), reference: each('reference'), submission: each('submission') });
  }
  return { tokens, broken };
}

const isText = (content: Buffer): boolean => content.length <= LARGEST && !content.includes(0) && isUtf8(content);

/** Lines without the white space behind them; the whole, where it is binary or large. */
function linesOf(content: Buffer | null): Tokens {
  if (content === null) return null;
  if (!isText(content)) return [content.toString('latin1')];
  const lines = content.toString('utf8').split(/\r?\n/);
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
}

function scoreOf({ parts, extra, broken }: Omit<Comparison, 'score'>): number {
  const total = parts.reduce((sum, { size }) => sum + size, 0);
  const equal = parts.reduce((sum, { size, isEqual }) => sum + (isEqual ? size : 0), 0);
  if (broken.length > 0 || equal === 0) return 0;
  if (equal === total && extra === 0) return 1;
  return 0.5 * (equal / total) * (equal / (equal + extra));
}
