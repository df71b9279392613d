import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import { applyEdits, type MutateRuntime } from '../../ecosystems/mutate-facet.ts';
import { changedSources } from '../../verify/mutants/changed-source.ts';

/** A solution that does what the reference does. */
export interface Rewritten {
  /** What was done to it, for the model that wrote a test. */
  title: string;
  submission: ChangeSet;
}

export interface RewriteRequest {
  reference: ChangeSet;
  t0Directory: string;
  ecosystem: Pick<Ecosystem, 'codeFiles' | 'mutate'>;
  /** Rewrites of one file at most. */
  most: number;
}

/** Rewrites each changed source of a reference in ways that keep its behaviour, one way at a time. */
export async function keptBehaviour(
  { reference, t0Directory, ecosystem, most }: RewriteRequest,
  runtime: MutateRuntime,
): Promise<Rewritten[]> {
  if (!ecosystem.mutate) return [];
  const sources = changedSources(reference, t0Directory, ecosystem.codeFiles);
  const found = await ecosystem.mutate.rewrites(sources, runtime);
  return sources.flatMap(({ file, text }, index) =>
    (found[index] ?? []).slice(0, most).map(({ title, edits }) => {
      const rewritten = { ...file, content: Buffer.from(applyEdits(text, edits)) };
      const files = reference.files.map((each) => (each === file ? rewritten : each));
      return { title, submission: { ...reference, files } };
    }),
  );
}
