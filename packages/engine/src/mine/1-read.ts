import { Rejection, type Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';

const MAX_BYTES = 2 * 1024 * 1024;

/** Stage 1: reads or makes the candidate from what its pipeline found. Throws `too_large` and whatever the pipeline throws. */
export async function read(
  data: unknown,
  { pipeline, repository, model, signal, progress }: MineContext,
): Promise<Candidate> {
  const candidate = await pipeline.read(data, { repository, model, signal, progress });
  const bytes = [...candidate.reference.files, ...candidate.hidden.files].reduce(
    (sum, { content }) => sum + content.length,
    0,
  );
  if (bytes > MAX_BYTES) throw new Rejection('too_large', `${bytes} bytes changed`);
  return candidate;
}
