import { AssayError } from '@assay/protocol';
import { commitRuntime } from './commit-runtime/pipeline.ts';
import { cvePatches } from './cve-patches/pipeline.ts';
import type { Pipeline } from './pipeline.ts';

/** The pipelines that come with Assay, in the order of the help. */
export const PIPELINES: readonly Pipeline[] = [commitRuntime, cvePatches];

/** Throws `UNKNOWN_PIPELINE`. */
export function pipelineNamed(name: string, pipelines: readonly Pipeline[]): Pipeline {
  const pipeline = pipelines.find((each) => each.name === name);
  if (!pipeline)
    throw new AssayError('UNKNOWN_PIPELINE', { name, known: pipelines.map((each) => each.name).join(', ') });
  return pipeline;
}
