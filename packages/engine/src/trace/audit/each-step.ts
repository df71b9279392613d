import type { Trajectory, TrajectoryStep, Place } from '@assay/protocol';
import { RECORD_FILE } from '../write-trajectory.ts';

/** The steps of a trajectory, then those of the trajectories embedded in it, with the id of theirs. */
export function* eachStep(trajectory: Trajectory): Generator<{ step: TrajectoryStep; of: Pick<Place, 'trajectory'> }> {
  for (const step of trajectory.steps) yield { step, of: {} };
  for (const { steps, trajectory_id: id } of trajectory.subagent_trajectories ?? [])
    for (const step of steps) yield { step, of: id === undefined ? {} : { trajectory: id } };
}

/** Where a step stands in the lane's record. */
export function placeOf({ step_id: step, extra }: TrajectoryStep, of: Pick<Place, 'trajectory'>): Place {
  const sequence = extra?.['sequence'];
  return { file: RECORD_FILE, step, ...of, ...(typeof sequence === 'number' ? { sequence } : {}) };
}
