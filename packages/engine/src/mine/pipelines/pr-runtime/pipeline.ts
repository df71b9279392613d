import { z } from 'zod';
import type { Candidate, SourceText } from '../../candidate.ts';
import { readFix } from '../../fixes/read-fix.ts';
import { ISSUES_OPTION, openIssueExport } from '../../told/issue-export.ts';
import { ownAddresses, requireSameRepository } from '../../told/own-addresses.ts';
import { definePipeline } from '../pipeline.ts';
import { findPulls } from './collect.ts';
import { namedHere, readNamed } from './named-addresses.ts';
import { PullData } from './pull-data.ts';
import { openSource } from './open-source.ts';
import { PullNotes } from './pull-notes.ts';

/** Merged pull requests, with the issues that they close. */
export const prRuntime = definePipeline({
  name: 'pr_runtime',
  version: '1',
  summary: 'merged pull requests that change code and tests, with the issues that they close',
  statementSource: 'pull request',
  options: {
    pulls: z
      .string()
      .optional()
      .describe('an export of pull requests (JSON or JSON Lines), as gh, glab or the API of a forge give it')
      .meta({ value: 'DIR|FILE' }),
    forge: z
      .url()
      .optional()
      .describe(
        'the repository at its forge (https://HOST/OWNER/NAME), whose API is asked for pull requests and issues',
      ),
    forgeKind: z
      .string()
      .optional()
      .describe('what --forge is: github, gitlab or gitea, for Forgejo too (default: it is asked)')
      .meta({ value: 'KIND' }),
    tokenEnv: z
      .string()
      .optional()
      .describe(
        'variable with the token for --forge (default: GITHUB_TOKEN, GITLAB_TOKEN, … on hosts that everybody knows)',
      )
      .meta({ value: 'NAME' }),
    issues: ISSUES_OPTION,
    fromUrls: z
      .string()
      .optional()
      .describe('a file with addresses of pull requests, issues and commits, one a line: only those')
      .meta({ value: 'FILE' }),
  },
  async open({ pulls, forge, forgeKind, tokenEnv, issues, fromUrls }, signal) {
    const named = fromUrls === undefined ? null : await readNamed(fromUrls, signal);
    const asked = await openSource({ pulls, forge, forgeKind, tokenEnv }, signal);
    const told = issues === undefined ? null : await openIssueExport(issues, signal);
    return async (request) => {
      const { repository } = request;
      if (asked) await requireSameRepository(repository, asked, asked.option);
      if (told) await requireSameRepository(repository, told, '--issues');
      const notes = new PullNotes();
      const own = new Set([...(asked?.repositories ?? []), ...(await ownAddresses(repository))]);
      const here = named && namedHere(named, own, notes);
      const about = { notes, source: asked?.source ?? null, issues: told, named: here, own: [...own][0] ?? null };
      return { found: findPulls(request, about), notes: () => notes.toPipelineNotes() };
    };
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
