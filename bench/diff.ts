/**
 * What submissions to tasks that are compared earn, by both profiles: the reference and what is made of it.
 *
 *     node bench/diff.ts DATASET... [--mutants 8] [--json]
 *
 * A dataset is what `assay mine --pipeline pr_diff --text-only` wrote. Submissions: the reference; nothing; the reference with
 * comments and empty lines more; half of it; wrong changes in the right place (mutants of it); the right change in other
 * files (its hunks under new names); rewrites of it that no caller notices; the reference beside a change of another file.
 * Prints for each kind how many there were and the mean reward, by `strict` and by `repo2rlenv`; no model is asked.
 */
import { parseArgs } from 'node:util';
import { bubblewrapProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { halfOfChange } from '@assay/files/half-of-change';
import { cacheDirectory } from '@assay/files/store/paths';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { readDataset } from '../packages/engine/src/bundle/read-task.ts';
import { listMutants } from '../packages/engine/src/verify/mutants/list-mutants.ts';
import { keptBehaviour } from '../packages/engine/src/mine/strengthen/kept-behaviour.ts';
import { openReadDiffTask, type OpenDiffTask } from '../packages/engine/src/verify/diff/open-diff-task.ts';
import { verifyDiff } from '../packages/engine/src/verify/diff/verify-diff.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mutants: { type: 'string', default: '8' }, json: { type: 'boolean', default: false } },
});
if (positionals.length === 0) throw new Error('usage: node bench/diff.ts DATASET... [--mutants 8] [--json]');

const provider = bubblewrapProvider();
const PROFILES = ['strict', 'repo2rlenv'] as const;
const NOTHING: ChangeSet = { files: [], deleted: [] };
const rewards = new Map<string, Record<(typeof PROFILES)[number], number[]>>();
let tasks = 0;

for (const directory of positionals)
  for (const task of (await readDataset(directory)).tasks) {
    if (task.kind !== 'diff') continue;
    const open = await openReadDiffTask(task, { provider, cacheDirectory: cacheDirectory() });
    tasks += 1;
    for (const [kind, submissions] of Object.entries(await submissionsOf(open)))
      for (const submission of submissions)
        for (const profile of PROFILES) {
          const asked = { ...open, task: { ...task, meta: { ...task.meta, profile, judged: false } } };
          const { verdict } = await verifyDiff(asked, submission, { provider });
          if (!rewards.has(kind)) rewards.set(kind, { strict: [], repo2rlenv: [] });
          rewards.get(kind)?.[profile].push(verdict.reward ?? NaN);
        }
  }

const rows = [...rewards].map(([kind, { strict, repo2rlenv }]) => ({
  kind,
  submissions: strict.length,
  strict: mean(strict),
  strictMost: Math.max(...strict),
  repo2rlenv: mean(repo2rlenv),
  repo2rlenvMost: Math.max(...repo2rlenv),
}));
if (values.json) console.log(JSON.stringify({ tasks, rows }));
else {
  console.log(`${tasks} tasks`);
  console.table(rows);
}

async function submissionsOf(open: OpenDiffTask): Promise<Record<string, ChangeSet[]>> {
  const { reference, t0Directory, ecosystem, environment } = open;
  const runtime = { environment, provider };
  const mutants = await listMutants({ reference, t0Directory, ecosystem, limit: Number(values.mutants) }, runtime);
  const rewritten = await keptBehaviour({ reference, t0Directory, ecosystem, most: 4 }, runtime);
  const half = await halfOfChange(t0Directory, reference);
  return {
    reference: [reference],
    nothing: [NOTHING],
    'other layout': [withLayout(open)],
    half: half ? [half] : [],
    'wrong change in the right place': mutants.map(({ submission }) => submission),
    'right change in other files': [elsewhere(open)],
    'rewrite that nobody notices': rewritten.map(({ submission }) => submission),
    'reference and one file less': withoutOneMore(open),
  };
}

/** The reference with lines more that no parser reads. */
function withLayout({ reference, ecosystem }: OpenDiffTask): ChangeSet {
  const mark = ecosystem.id === 'python' ? '\n\n# More.\n' : '\n\n// More.\n';
  const files = reference.files.map((file) =>
    ecosystem.codeFiles.test(file.path) ? { ...file, content: Buffer.concat([file.content, Buffer.from(mark)]) } : file,
  );
  return { ...reference, files };
}

/** Its files under names that T0 does not have. */
function elsewhere({ reference }: OpenDiffTask): ChangeSet {
  return { files: reference.files.map((file) => ({ ...file, path: `other/${file.path}` })), deleted: [] };
}

/** The reference, and another source of T0 gone. */
function withoutOneMore({ reference, t0, ecosystem, t0Directory }: OpenDiffTask): ChangeSet[] {
  const changed = new Set([...reference.files.map(({ path }) => path), ...reference.deleted]);
  const other = [...t0.keys()].find(
    (path) =>
      !changed.has(path) &&
      ecosystem.codeFiles.test(path) &&
      ecosystem.classify(path) === 'source' &&
      (readRegularFileBelow(t0Directory, path)?.length ?? 0) > 0,
  );
  return other === undefined ? [] : [{ ...reference, deleted: [...reference.deleted, other] }];
}

function mean(numbers: readonly number[]): number {
  return Math.round((numbers.reduce((sum, each) => sum + each, 0) / numbers.length) * 1000) / 1000;
}
