import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedFixture } from '@assay/testkit';
import { mineRepository } from '../mine.ts';
import { buildDemoRepository } from './demo-repository.ts';

/** Leaves the demo's repository at `directory/repository` and its mined task at `directory/task`, for a test to change. */
export async function makeDemoTask(directory: string): Promise<{ repository: string; task: string }> {
  const shared = await sharedFixture(directory, 'demo-task', async (place) => {
    await buildDemoRepository(join(place, 'repository'));
    const source = join(place, 'repository');
    await mineRepository({ source, pipeline: 'commit_runtime', out: join(place, 'tasks'), limit: 1 });
  });
  const [name = 'no task'] = (await readdir(join(shared, 'tasks'))).filter((entry) => entry.startsWith('repository-'));
  const [repository, task] = [join(directory, 'repository'), join(directory, 'task')];
  await cp(join(shared, 'repository'), repository, { recursive: true, verbatimSymlinks: true });
  await cp(join(shared, 'tasks', name), task, { recursive: true, verbatimSymlinks: true });
  return { repository, task };
}
