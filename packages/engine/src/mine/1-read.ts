import { Rejection, type Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';
import type { Found } from './pipelines/pipeline.ts';

const MAX_BYTES = 2 * 1024 * 1024;

/** Stage 1: reads or makes the candidate by its pipeline. Throws `too_large` and whatever the pipeline throws. */
export async function read(found: Found, { model, signal, progress }: MineContext): Promise<Candidate> {
  const candidate = await found.read({ model, signal, progress });
  const bytes = [...candidate.reference.files, ...candidate.hidden.files].reduce(
    (sum, { content }) => sum + content.length,
    0,
  );
  if (bytes > MAX_BYTES) throw new Rejection('too_large', `${bytes} bytes changed`);
  return candidate;
}
