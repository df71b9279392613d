import { definePipeline } from '../pipeline.ts';
import { CommitData, readFix, walkFixes } from './collect.ts';
import { WalkNotes } from './walk-notes.ts';

/** Fixes described by their own commits. */
export const commitRuntime = definePipeline({
  name: 'commit_runtime',
  version: '3',
  summary: 'commits of the history that change code and tests',
  statementSource: 'message',
  options: {},
  open: async () => async (request) => {
    const notes = new WalkNotes();
    return { found: walkFixes(request, notes), notes: () => notes.toPipelineNotes() };
  },
  data: CommitData,
  read: (data, { repository }) => readFix(repository, data),
});
