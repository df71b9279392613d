import { ECOSYSTEMS } from '../../../ecosystems/index.ts';
import { changedFiles, type ChangedFile } from '../../../git/changed-files.ts';
import { walkCandidates } from '../../../git/walk-candidates.ts';
import { rejectionOf } from '../../candidate.ts';
import { candidateOfCommits } from '../../candidate-of-commits.ts';
import { codeKinds } from '../../parts-of-change.ts';
import type { CollectRequest, Found } from '../pipeline.ts';

/** Yields commits that change code and tests of one ecosystem, newest first. */
export async function* walkFixes({ repository, since, signal }: CollectRequest): AsyncGenerator<Found> {
  for await (const { commit, parent: base, time, message } of walkCandidates(repository, { since, signal })) {
    signal?.throwIfAborted();
    const named = { label: commit.slice(0, 10), key: commit };
    let files: ChangedFile[];
    try {
      files = await changedFiles(repository, base, commit);
    } catch (error) {
      if (rejectionOf(error)?.reason !== 'missing_objects') throw error;
      yield { ...named, read: () => Promise.reject(error) };
      continue;
    }
    const paths = files.map(({ path }) => path);
    const ecosystem = ECOSYSTEMS.find((each) => {
      const { source, test } = codeKinds(each, paths);
      return source && test;
    });
    if (ecosystem)
      yield {
        ...named,
        read: () => candidateOfCommits(repository, { base, t0: time, commit, files, ecosystem }, { message }),
      };
  }
}
