import { definePipeline } from '../pipeline.ts';
import { openPulls, PULL_OPTIONS } from '../../pulls/open-pulls.ts';
import { PullData } from '../../pulls/pull-data.ts';
import { readPull } from '../../pulls/read-pull.ts';

/** Merged pull requests, with the issues that they close. */
export const prRuntime = definePipeline({
  name: 'pr_runtime',
  version: '1',
  summary: 'merged pull requests that change code and tests, with the issues that they close',
  statementSource: 'pull request',
  options: PULL_OPTIONS,
  open: (options, signal) => openPulls(options, { signal }),
  data: PullData,
  read: ({ fix }, { repository }) => readPull(repository, fix),
});
