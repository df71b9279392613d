import type { Repository } from '../../git/repository.ts';
import type { Candidate, SourceText } from '../candidate.ts';
import type { CommitData } from '../fixes/commit-data.ts';
import type { FixKind } from '../fixes/is-fix.ts';
import { readFix } from '../fixes/read-fix.ts';

/** Makes the candidate of a pull request. Throws as `readFix` does. */
export async function readPull(repository: Repository, fix: CommitData, kind: FixKind = {}): Promise<Candidate> {
  return issuesFirst(await readFix(repository, fix, kind));
}

const ORDER: Partial<Record<SourceText['source'], number>> = { issue: 0, 'pull request': 1 };

/** Puts what the issues and the pull request say before what its commits say. */
function issuesFirst({ message, sources = [], ...candidate }: Candidate): Candidate {
  const rank = ({ source }: SourceText): number => ORDER[source] ?? 2;
  const sorted = sources.toSorted((a, b) => rank(a) - rank(b));
  const said = message.trim() === '' ? sorted.find(({ text }) => text.trim() !== '')?.text : message;
  return { ...candidate, message: said ?? '', sources: sorted };
}
