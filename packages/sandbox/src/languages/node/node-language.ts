import type { CaseRequest } from '../../run-tests/case-outcome.ts';
import { withoutHead } from '../javascript/submission-script.ts';
import { looksLikeModule } from '../javascript/transform-source.ts';
import type { ProcessLanguage, Refusal, RunPlan } from '../language.ts';
import { NODE_DRIVER } from './node-driver.ts';
import { transformInWorker } from './transform-in-worker.ts';

const NODE = '/opt/node/bin/node';
const MIB = 1024 * 1024;
const DEFAULT_MEMORY_BYTES = 256 * MIB;
/** Share of the memory for objects. Node itself needs the rest. */
const HEAP_SHARE = 0.6;

/** V8 sets aside whole ranges of addresses. Its heap has a limit of its own. */
const RESERVED_BYTES = 768 * MIB;

/** JavaScript and TypeScript in Node: the one that runs this process where the provider can bring it in. */
export const nodeLanguage: ProcessLanguage = {
  async plan(request, { hostSystem = false }): Promise<RunPlan | Refusal> {
    const script = withoutHead(request.source);
    const plan = planFor({ ...request, source: script }, hostSystem);
    const transform = (): Promise<RunPlan | Refusal> => transformedPlan(plan, request);
    return request.language === 'typescript' || looksLikeModule(script)
      ? transform()
      : { ...plan, secondAttempt: transform };
  },
};

function planFor(
  { source, functionName, memoryBytes = DEFAULT_MEMORY_BYTES }: CaseRequest,
  hostSystem: boolean,
): RunPlan {
  const heap = Math.max(16, Math.floor((memoryBytes * HEAP_SHARE) / MIB));
  return {
    sandbox: { mounts: hostSystem ? [{ kind: 'read-only', source: process.execPath, target: NODE }] : [], env: {} },
    argv: [hostSystem ? NODE : 'node', `--max-old-space-size=${heap}`, '--no-warnings', '--eval', NODE_DRIVER],
    greeting: { functionName, source },
    driverFirst: true,
    reservedBytes: RESERVED_BYTES,
    install: 'Node',
  };
}

async function transformedPlan(plan: RunPlan, { source, functionName }: CaseRequest): Promise<RunPlan | Refusal> {
  const transformed = await transformInWorker(source);
  return 'refused' in transformed ? transformed : { ...plan, greeting: { functionName, source: transformed.script } };
}
