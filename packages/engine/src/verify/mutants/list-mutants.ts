import type { Survivor } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import { applyEdits, MUTATION_KINDS, type MutateRuntime, type SourceMutant } from '../../ecosystems/mutate-facet.ts';
import { changedSources, type ChangedSource } from './changed-source.ts';
import { describeMutant } from './describe-mutant.ts';

/** The reference with one small change that alters what it does. */
export interface Mutant extends Survivor {
  submission: ChangeSet;
}

export interface ListRequest {
  reference: ChangeSet;
  t0Directory: string;
  ecosystem: Pick<Ecosystem, 'codeFiles' | 'mutate'>;
  /** Most mutants to return. */
  limit: number;
}

interface Drawn extends SourceMutant {
  source: ChangedSource;
  line: number;
  /** Of the same hunk and kind, one follows the other. */
  group: string;
  /** A fixed order without regard to the place in the file. */
  rank: string;
}

/**
 * Lists mutants of a reference: on lines that it adds or alters, spread over its hunks and kinds of change, and the
 * same ones in the same order every time. The first of them are a fair sample of all.
 */
export async function listMutants(
  { reference, t0Directory, ecosystem, limit }: ListRequest,
  runtime: MutateRuntime,
): Promise<Mutant[]> {
  if (!ecosystem.mutate || limit <= 0) return [];
  const sources = changedSources(reference, t0Directory, ecosystem.codeFiles);
  const found = await ecosystem.mutate.mutants(sources, runtime);
  const drawn = sources.flatMap((source, index) =>
    withoutWhole(found[index] ?? [], source, reference).map((mutant) => drawnFrom(source, mutant)),
  );
  return spread(drawn, limit).map((mutant) => asMutant(mutant, reference));
}

/** Without the hunk that is the whole change: that mutant is the no-op. */
function withoutWhole(mutants: SourceMutant[], source: ChangedSource, { files, deleted }: ChangeSet): SourceMutant[] {
  const isWhole = source.proposed.length === 1 && files.length + deleted.length === 1;
  return isWhole ? mutants.filter(({ kind }) => kind !== 'hunk') : mutants;
}

function drawnFrom(source: ChangedSource, mutant: SourceMutant): Drawn {
  const [first] = mutant.edits;
  const line = source.text.slice(0, first?.start ?? 0).split('\n').length;
  const hunk = source.hunkOf.get(line) ?? -1;
  const rank = sha256(JSON.stringify([source.path, mutant.kind, mutant.edits]));
  return { ...mutant, source, line, group: `${source.path}\n${hunk}`, rank };
}

/** Takes a mutant of each hunk in turn, each time of another kind. */
function spread(mutants: readonly Drawn[], limit: number): Drawn[] {
  const ordered = mutants.toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  const hunks = [...Map.groupBy(ordered, ({ group }) => group).values()].map((inHunk) =>
    alternate([...Map.groupBy(inHunk, ({ kind }) => kind).entries()].toSorted(byKind).map(([, ofKind]) => ofKind)),
  );
  return alternate(hunks).slice(0, limit);
}

const byKind = ([a]: [SourceMutant['kind'], unknown], [b]: [SourceMutant['kind'], unknown]): number =>
  MUTATION_KINDS.indexOf(a) - MUTATION_KINDS.indexOf(b);

/** The first of each list, then the second of each, and so on. */
function alternate<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}

function asMutant({ source, line, kind, edits }: Drawn, reference: ChangeSet): Mutant {
  const after = applyEdits(source.text, edits);
  const changed = { ...source.file, content: Buffer.from(after) };
  return {
    path: source.path,
    line,
    kind,
    change: describeMutant(source.text, after, kind),
    submission: { ...reference, files: reference.files.map((file) => (file === source.file ? changed : file)) },
  };
}
