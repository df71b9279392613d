import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Trial, TrialCanaries, Verdict } from '@assay/protocol';
import type { ModelLaneEntry } from '@assay/lanes/model-lane/contract';

export interface TrialParts {
  trial?: Partial<Trial>;
  entries?: readonly ModelLaneEntry[];
  log?: string;
  /** The files of the submission, by path. */
  files?: Record<string, string>;
  /** Lines of these files that T0 does not have. */
  newLines?: Record<string, [number, number][]>;
  canaries?: TrialCanaries;
  /** Left without `trial.json`. */
  unfinished?: boolean;
}

const VERDICT: Verdict = {
  outcome: 'pass',
  reward: 1,
  components: {},
  tests: [],
  trust: { level: 'in-process', reasons: [] },
  isolation: 'namespace',
  limits: 'full',
  verifier: 'pytest@1',
  digests: {},
};

/** A trial in a job directory, as a run writes it, but for its receipt. */
export async function writeTrialDirectory(
  job: string,
  id: string,
  { trial, entries, log = '', files = {}, newLines = {}, canaries, unfinished = false }: TrialParts = {},
): Promise<string> {
  const directory = join(job, 'trials', id);
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  await mkdir(directory, { recursive: true });
  await writeFile(join(job, 'job.json'), '{}');
  await write('logs/agent.txt', log);
  if (entries !== undefined) await write('model.jsonl', entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  for (const [path, text] of Object.entries(files)) await write(join('submission/files', path), text);
  await write(
    'submission/manifest.json',
    JSON.stringify({
      files: Object.entries(files).map(([path, text]) => ({
        path,
        executable: false,
        size: text.length,
        newLines: newLines[path],
      })),
      deleted: [],
      dropped: [],
    }),
  );
  if (canaries !== undefined) await write('canaries.json', JSON.stringify(canaries));
  await write('verdict.json', JSON.stringify(VERDICT));
  const whole: Trial = {
    version: 1,
    id,
    task: 'a-task',
    agent: 'loop',
    attempt: 1,
    outcome: 'pass',
    reward: 1,
    trust: VERDICT.trust,
    isolation: 'namespace',
    durationMs: 5,
    startedAt: '2026-01-01T00:00:00.000Z',
    agentRun: { exitCode: 0, timedOut: false, durationMs: 5 },
    ...trial,
  };
  if (!unfinished) await write('trial.json', JSON.stringify(whole));
  return directory;
}
