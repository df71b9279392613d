import { ECOSYSTEMS } from '../../../ecosystems/index.ts';
import { changedFiles, type ChangedFile } from '../../../git/changed-files.ts';
import type { ImportedRepository } from '../../../git/import-repository.ts';
import { walkCandidates } from '../../../git/walk-candidates.ts';
import { rejectionOf } from '../../candidate.ts';
import type { CollectOptions, Found, Pipeline } from '../pipeline.ts';
import { codeKinds, readCandidate } from '../../read-candidate.ts';

/** Fixes that their own commits tell of. */
export const commitRuntime: Pipeline = {
  name: 'commit_runtime',
  version: '1',
  statementSource: 'message',
  discloses: false,
  collect: async (repository, options) => ({ found: walk(repository, options) }),
};

/** The history, newest first: commits that change code and tests of one ecosystem. */
async function* walk(repository: ImportedRepository, { since, signal }: CollectOptions): AsyncGenerator<Found> {
  for await (const { commit, parent, time, message } of walkCandidates(repository, { since, signal })) {
    signal?.throwIfAborted();
    const named = { label: commit.slice(0, 10), key: commit };
    let files: ChangedFile[];
    try {
      files = await changedFiles(repository, parent, commit);
    } catch (error) {
      if (rejectionOf(error)?.reason !== 'missing_objects') throw error;
      yield { ...named, read: () => Promise.reject(error) };
      continue;
    }
    const ecosystem = ECOSYSTEMS.find((each) => {
      const { source, test } = codeKinds(each, files);
      return source && test;
    });
    if (ecosystem)
      yield {
        ...named,
        read: () => readCandidate(repository, { parent, t0: time, commit, files, ecosystem }, { message }),
      };
  }
}
