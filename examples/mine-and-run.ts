/**
 * Makes tasks of a repository's fixes, and lets two agents attempt them: the reference solution, and one that does
 * nothing.
 *
 *     node mine-and-run.ts ~/src/project out
 */
import { join } from 'node:path';
import { mineRepository, runJob } from '@assay/engine';

const [source = '.', out = 'out'] = process.argv.slice(2);
const tasks = join(out, 'tasks');

const mined = await mineRepository({ source, pipeline: 'commit_runtime', out: tasks, limit: 20 });
process.stdout.write(`${mined.admitted} of ${mined.candidates} candidates became tasks\n`);

for (const agent of ['oracle', 'nop']) {
  const { summary } = await runJob({ path: tasks, agent, out: join(out, agent) });
  process.stdout.write(`${agent} passes ${summary.passed} of ${summary.trials}\n`);
}
