import type { Candidate, SourceText } from '../../candidate.ts';
import { readFix } from '../../fixes/read-fix.ts';
import { definePipeline } from '../pipeline.ts';
import { findPulls } from './collect.ts';
import { PullData } from './pull-data.ts';
import { PullNotes } from './pull-notes.ts';

/** Merged pull requests, with the issues that they close. */
export const prRuntime = definePipeline({
  name: 'pr_runtime',
  version: '1',
  summary: 'merged pull requests that change code and tests, with the issues that they close',
  statementSource: 'pull request',
  options: {},
  open: async () => async (request) => {
    const notes = new PullNotes();
    return { found: findPulls(request, { notes, source: null, own: null }), notes: () => notes.toPipelineNotes() };
  },
  data: PullData,
  read: async ({ fix }, { repository }) => issuesFirst(await readFix(repository, fix)),
});

const ORDER: Partial<Record<SourceText['source'], number>> = { issue: 0, 'pull request': 1 };

/** Puts what the issues and the pull request say before what its commits say. */
function issuesFirst({ message, sources = [], ...candidate }: Candidate): Candidate {
  const rank = ({ source }: SourceText): number => ORDER[source] ?? 2;
  const sorted = sources.toSorted((a, b) => rank(a) - rank(b));
  const said = message.trim() === '' ? sorted.find(({ text }) => text.trim() !== '')?.text : message;
  return { ...candidate, message: said ?? '', sources: sorted };
}
