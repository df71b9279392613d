import { ISSUES_OPTION, openIssueExport } from '../../told/issue-export.ts';
import { requireSameRepository } from '../../told/own-addresses.ts';
import { definePipeline } from '../pipeline.ts';
import { walkFixes } from './collect.ts';
import { CommitData } from '../../fixes/commit-data.ts';
import { readFix } from '../../fixes/read-fix.ts';
import { WalkNotes } from './walk-notes.ts';

/** Fixes described by their own commits. */
export const commitRuntime = definePipeline({
  name: 'commit_runtime',
  version: '5',
  summary: 'commits and merges of the history that change code and tests',
  statementSource: 'message',
  options: { issues: ISSUES_OPTION },
  open: async ({ issues }, signal) => {
    const exported = issues === undefined ? null : await openIssueExport(issues, signal);
    return async (request) => {
      if (exported) await requireSameRepository(request.repository, exported, '--issues');
      const notes = new WalkNotes();
      return { found: walkFixes(request, notes, exported), notes: () => notes.toPipelineNotes() };
    };
  },
  data: CommitData,
  read: (data, { repository }) => readFix(repository, data),
});
