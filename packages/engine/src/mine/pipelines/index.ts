import { AssayError } from '@assay/protocol';
import { codeInstruct } from './code-instruct/pipeline.ts';
import { commitRuntime } from './commit-runtime/pipeline.ts';
import { cvePatches } from './cve-patches/pipeline.ts';
import { equivalenceTests } from './equivalence-tests/pipeline.ts';
import { pipelineFlags } from './pipeline-flags.ts';
import type { Pipeline } from './pipeline.ts';
import { prDiff } from './pr-diff/pipeline.ts';
import { prRuntime } from './pr-runtime/pipeline.ts';

const registered: Pipeline[] = [commitRuntime, prRuntime, prDiff, cvePatches, equivalenceTests, codeInstruct];

/** Every registered pipeline, in the order of the help. */
export const PIPELINES: readonly Pipeline[] = registered;

/** Returns the pipeline of a name. Throws `UNKNOWN_PIPELINE`. */
export function pipelineNamed(name: string): Pipeline {
  const pipeline = PIPELINES.find((each) => each.name === name);
  if (!pipeline)
    throw new AssayError('UNKNOWN_PIPELINE', { name, known: PIPELINES.map((each) => each.name).join(', ') });
  return pipeline;
}

/**
 * Registers a pipeline in this process, for `--pipeline` and `mineRepository` to find by name; its options become
 * flags. Throws `BAD_OPTION` when the name is taken or invalid, and `IMPOSSIBLE` for an option that cannot be a flag
 * beside the others.
 */
export function registerPipeline(pipeline: Pipeline): void {
  const taken = registered.some(({ name }) => name === pipeline.name);
  const problem = taken ? 'is taken' : /^[a-z][a-z0-9_]*$/.test(pipeline.name) ? null : 'is no name';
  if (problem !== null)
    throw new AssayError('BAD_OPTION', { option: 'registerPipeline', detail: `"${pipeline.name}" ${problem}` });
  pipelineFlags([...registered, pipeline]);
  registered.push(pipeline);
}
