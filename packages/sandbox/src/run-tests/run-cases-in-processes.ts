import type { SandboxProvider } from '../contract.ts';
import type { Refusal, RunPlan } from '../languages/language.ts';
import { PROCESS_LANGUAGES } from '../languages/process-languages.ts';
import { buildProgram } from './build-program.ts';
import type { CaseOutcome, CaseRequest } from './case-outcome.ts';
import { CaseRun, OUTPUT_BYTES } from './case-run.ts';
import { completeProvider } from './complete-provider.ts';
import { limitsFor } from './limits-for.ts';

const MIB = 1024 * 1024;
const DEFAULT_MEMORY_BYTES = 256 * MIB;
const DISK_BYTES = 64 * MIB;
/** Node and Go start a dozen threads of their own. */
const PIDS = 128;

/**
 * Runs the cases with a provider that runs processes: a driver of the language inside is given one case after the
 * other. A process that ended, or had to be killed, has failed the case that it was at, and a new one goes on with the
 * next.
 */
export async function runCasesInProcesses(given: SandboxProvider, request: CaseRequest): Promise<CaseOutcome[]> {
  const provider = completeProvider(given);
  request.signal?.throwIfAborted();
  let plan = await PROCESS_LANGUAGES[request.language].plan(request, provider);
  for (;;) {
    if ('refused' in plan) return allFailed(request, plan.refused);
    const outcome = await runPlan(provider, plan, request);
    if (!('unparsed' in outcome)) return outcome;
    const second: RunPlan | Refusal | undefined = await plan.secondAttempt?.();
    // A parser of our own says where it is.
    if (second === undefined || 'refused' in second) return allFailed(request, second?.refused ?? outcome.unparsed);
    plan = second;
  }
}

/** `unparsed`: the driver says that the source is not written in its language, and why. */
async function runPlan(
  provider: SandboxProvider,
  plan: RunPlan,
  request: CaseRequest,
): Promise<CaseOutcome[] | { unparsed: string }> {
  const built = plan.build ? await buildProgram(provider, plan.build, request.signal) : null;
  if (built && 'refused' in built) return allFailed(request, built.refused);
  const reserved = provider.limits === 'partial' ? (plan.reservedBytes ?? 0) : 0;
  const sandbox = await provider.create({
    ...plan.sandbox,
    limits: limitsFor(provider, {
      memoryBytes: reserved + (request.memoryBytes ?? DEFAULT_MEMORY_BYTES),
      pids: PIDS,
      diskBytes: DISK_BYTES,
      outputBytes: OUTPUT_BYTES,
    }),
    signal: request.signal,
  });
  try {
    if (built && plan.build) await sandbox.writeFile(plan.build.program, built.program);
    return await new CaseRun(sandbox, plan, request, provider).run();
  } finally {
    await sandbox.destroy();
  }
}

function allFailed({ cases }: CaseRequest, reason: string): CaseOutcome[] {
  return cases.map(() => ({ kind: 'failed', reason }));
}
