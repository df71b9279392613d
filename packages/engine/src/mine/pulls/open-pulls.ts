import { z } from 'zod';
import { ISSUES_OPTION, openIssueExport } from '../told/issue-export.ts';
import { ownAddresses, requireSameRepository } from '../told/own-addresses.ts';
import type { Collect } from '../pipelines/pipeline.ts';
import { findPulls, type PullCollection } from './collect.ts';
import { namedHere, readNamed } from './named-addresses.ts';
import { openSource } from './open-source.ts';
import type { PullData } from './pull-data.ts';
import { PullNotes } from './pull-notes.ts';

/** Where pull requests come from: options of every pipeline that starts from them. */
export const PULL_OPTIONS = {
  pulls: z
    .string()
    .optional()
    .describe('an export of pull requests (JSON or JSON Lines), as gh, glab or the API of a forge give it')
    .meta({ value: 'DIR|FILE' }),
  forge: z
    .url()
    .optional()
    .describe('the repository at its forge (https://HOST/OWNER/NAME), whose API is asked for pull requests and issues'),
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
};

/** Opens what the options name. Throws `BAD_OPTION` and whatever else the user can mend. */
export async function openPulls(
  { pulls, forge, forgeKind, tokenEnv, issues, fromUrls }: z.output<z.ZodObject<typeof PULL_OPTIONS>>,
  { untested, signal }: Pick<PullCollection, 'untested'> & { signal?: AbortSignal | undefined },
): Promise<Collect<PullData>> {
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
    const about = {
      notes,
      source: asked?.source ?? null,
      issues: told,
      named: here,
      own: [...own][0] ?? null,
      untested,
    };
    return { found: findPulls(request, about), notes: () => notes.toPipelineNotes() };
  };
}
