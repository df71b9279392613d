import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import type { Trajectory } from '@assay/protocol';
import { readRecord, recordExists } from './read-record.ts';
import { TrajectoryBuilder, type TrajectoryOptions } from './read-trajectory.ts';

/** The model lane's record in the directory of a trial. */
export const RECORD_FILE = 'model.jsonl';

/** The trajectory of a trial by the lane's record in its directory; null when the agent had no lane. */
export async function readTrialTrajectory(
  directory: string,
  options: TrajectoryOptions = {},
): Promise<Trajectory | null> {
  const file = join(directory, RECORD_FILE);
  if (!(await recordExists(file))) return null;
  const builder = new TrajectoryBuilder();
  let bad = 0;
  for await (const entry of readRecord(file, () => (bad += 1))) builder.add(entry);
  return builder.finish({
    ...options,
    ...(bad === 0 ? {} : { notes: `${bad} lines of the record could not be read.` }),
  });
}

/**
 * Writes `trajectory.json` (ATIF 1.7) beside the lane's record into the directory of a trial. Null when there is no
 * record.
 */
export async function writeTrajectory(directory: string, options?: TrajectoryOptions): Promise<Trajectory | null> {
  const trajectory = await readTrialTrajectory(directory, options);
  if (trajectory !== null) await writeJsonAtomic(join(directory, 'trajectory.json'), trajectory);
  return trajectory;
}
