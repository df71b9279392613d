import { CommitName } from '@assay/protocol';
import { z } from 'zod';
import { definePipeline } from '../pipeline.ts';
import { readFix, walkFixes } from './collect.ts';
import { WalkNotes } from './walk-notes.ts';

/** Fixes described by their own commits. */
export const commitRuntime = definePipeline({
  name: 'commit_runtime',
  version: '1',
  summary: 'commits of the history that change code and tests',
  statementSource: 'message',
  options: {},
  open: async () => async (request) => {
    const notes = new WalkNotes();
    return { found: walkFixes(request, notes), notes: () => notes.toPipelineNotes() };
  },
  data: z.strictObject({ commit: CommitName }),
  read: ({ commit }, { repository }) => readFix(repository, commit),
});
