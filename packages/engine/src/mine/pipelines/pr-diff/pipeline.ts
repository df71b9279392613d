import { z } from 'zod';
import { openPulls, PULL_OPTIONS } from '../../pulls/open-pulls.ts';
import { PullData } from '../../pulls/pull-data.ts';
import { readPull } from '../../pulls/read-pull.ts';
import { definePipeline, type Found } from '../pipeline.ts';

const Profile = z.enum(['strict', 'repo2rlenv']);

/** Merged pull requests, whether tests tell them or not: what no test tells is compared with what people wrote. */
export const prDiff = definePipeline({
  name: 'pr_diff',
  version: '1',
  summary:
    'merged pull requests, with tests or without: submissions to those without are compared with the change itself',
  statementSource: 'pull request',
  options: {
    ...PULL_OPTIONS,
    profile: Profile.optional()
      .describe('how a comparison is scored: strict (default), or repo2rlenv for figures that compare with its own')
      .meta({ value: 'NAME' }),
    judged: z
      .boolean()
      .optional()
      .describe('have a model judge, when tasks are graded, what differs from the change: behaviour counts over text'),
    textOnly: z.boolean().optional().describe('compare texts even where tests could decide; nothing is installed'),
  },
  async open({ profile = 'strict', judged = false, textOnly = false, ...options }, signal) {
    const collect = await openPulls(options, { untested: true, signal });
    return async (request) => {
      const collected = await collect(request);
      return { ...collected, found: withComparison(collected.found, { profile, judged, always: textOnly }) };
    };
  },
  data: PullData.extend({ compared: z.strictObject({ profile: Profile, judged: z.boolean(), always: z.boolean() }) }),
  read: async ({ fix, compared }, { repository }) => ({
    ...(await readPull(repository, fix, { untested: true })),
    compared,
  }),
});

async function* withComparison<Data extends object, Compared>(
  found: Iterable<Found<Data>> | AsyncIterable<Found<Data>>,
  compared: Compared,
): AsyncGenerator<Found<Data & { compared: Compared }>> {
  for await (const each of found) yield { ...each, data: { ...each.data, compared } };
}
