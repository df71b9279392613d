import { z } from 'zod';
import type { SourceFunction } from '../../ecosystems/function-facet.ts';
import { ECOSYSTEMS } from '../../ecosystems/index.ts';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { listTree, readCommit } from '../../git/repository.ts';
import type { Collected, CollectRequest } from '../pipelines/pipeline.ts';
import type { FunctionData } from './function-candidate.ts';
import { functionNotes, type FoundFunction, type FunctionsOfHead } from './function-notes.ts';

/** Generated, or data. */
const MOST_BYTES = 300_000;
/** Text of tests that is searched for names. */
const MOST_TESTS = 16 * 1024 * 1024;
const MIN_BRANCHES = 2;
/** Directories whose code nobody imports. */
const ASIDE =
  /(^|\/)(?:docs?|examples?|bench(?:marks?)?|scripts?|tools|misc|dist|build|vendor(?:ed)?|_vendor|third_party|node_modules)\//;

export interface FindOptions {
  /** Lines with code in a body. */
  minLines: number;
  maxLines: number;
  signal?: AbortSignal;
}

/** Options of pipelines that start from functions. */
export const FUNCTION_OPTIONS = {
  minLines: z.int().min(1).default(4).describe('fewest lines of code in the body of a function'),
  maxLines: z.int().min(1).default(60).describe('most lines of code in the body of a function'),
};

/** What a pipeline finds that starts from functions. */
export async function foundFunctions(
  { repository, signal }: CollectRequest,
  options: Omit<FindOptions, 'signal'>,
): Promise<Collected<FunctionData>> {
  const functions = await findFunctions(repository, { ...options, signal });
  const base = repository.head;
  return {
    found: functions.found.map(({ path, name }) => ({ label: `${path}:${name}`, base, data: { base, path, name } })),
    notes: () => functionNotes(functions),
  };
}

/**
 * Looks for functions at HEAD that answer by their arguments alone, as far as their text tells, and have something to get
 * wrong. Those that the tests name most come first, one of each file at a time.
 */
export async function findFunctions(repository: ImportedRepository, options: FindOptions): Promise<FunctionsOfHead> {
  const { sources, tests } = await readHead(repository, options.signal);
  const words = countWords(tests);
  const passedOver = new Map<string, number>();
  let seen = 0;
  const byFile: FoundFunction[][] = [];
  for (const { path, text, ecosystem } of sources) {
    const all = ecosystem.functions?.list(path, text) ?? [];
    seen += all.length;
    const kept = all.filter((each) => {
      const why = whyNot(each, all, options);
      if (why !== null) passedOver.set(why, (passedOver.get(why) ?? 0) + 1);
      return why === null;
    });
    const found = kept.map(({ name }) => ({ path, name, mentions: words.get(name) ?? 0 }));
    if (found.length > 0) byFile.push(found.sort((a, b) => b.mentions - a.mentions));
  }
  byFile.sort(([a], [b]) => (b?.mentions ?? 0) - (a?.mentions ?? 0));
  const longest = Math.max(0, ...byFile.map(({ length }) => length));
  const found = Array.from({ length: longest }, (_, index) =>
    byFile.flatMap((own) => own.slice(index, index + 1)),
  ).flat();
  return { found, seen, passedOver };
}

function whyNot(
  { name, impure, lines, branches }: SourceFunction,
  all: readonly SourceFunction[],
  { minLines, maxLines }: FindOptions,
): string | null {
  if (all.filter((other) => other.name === name).length > 1) return 'defined twice';
  if (lines < minLines) return 'too short';
  if (lines > maxLines) return 'too long';
  if (branches < MIN_BRANCHES) return 'without branches';
  return impure === null ? null : 'not by their arguments alone';
}

interface HeadFile {
  path: string;
  text: string;
  ecosystem: Ecosystem;
}

async function readHead(
  repository: ImportedRepository,
  signal?: AbortSignal,
): Promise<{ sources: HeadFile[]; tests: string[] }> {
  const { tree } = await readCommit(repository, repository.head);
  const sources: HeadFile[] = [];
  const tests: string[] = [];
  let bytes = 0;
  for await (const { path, kind, oid, utf8 } of listTree(repository, tree)) {
    signal?.throwIfAborted();
    const ecosystem = ECOSYSTEMS.find(({ codeFiles, functions }) => functions && codeFiles.test(path));
    if (!ecosystem || !utf8 || (kind !== 'file' && kind !== 'executable') || ASIDE.test(path)) continue;
    const role = ecosystem.classify(path);
    if (role === 'other' || (role === 'test' && bytes > MOST_TESTS)) continue;
    const content = await repository.objects.readTyped(oid, 'blob');
    const text = content.toString('utf8');
    if (role === 'test') {
      bytes += content.length;
      tests.push(text);
    } else if (content.length <= MOST_BYTES && Buffer.from(text).equals(content))
      sources.push({ path, text, ecosystem });
  }
  return { sources: sources.sort((a, b) => (a.path < b.path ? -1 : 1)), tests };
}

function countWords(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
