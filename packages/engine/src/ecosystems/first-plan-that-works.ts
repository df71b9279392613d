import { AssayError } from '@assay/protocol';
import { BUILD_MINUTES } from './build-box.ts';

export interface PlanOptions<Plan, Built> {
  /** Best first; at least one. */
  plans: readonly Plan[];
  build(plan: Plan): Promise<Built>;
  /** Names a plan in the log. */
  nameOf(plan: Plan): string;
  /** Minutes for all plans together. After a time-out, the next plan starts only if a whole box still fits. */
  minutes?: number;
  log?: (line: string) => void;
}

/**
 * Tries one plan for an environment after the other and returns the first that builds. When none does, throws the first
 * time-out, because a quieter machine may have more luck, else the first `TOOL_MISSING`, because another machine may,
 * else the first `ENVIRONMENT_FAILED`. Every other error ends the search.
 */
export async function firstPlanThatWorks<Plan, Built>({
  plans,
  build,
  nameOf,
  minutes = 2 * BUILD_MINUTES,
  log,
}: PlanOptions<Plan, Built>): Promise<{ plan: Plan; built: Built }> {
  const lastStart = Date.now() + (minutes - BUILD_MINUTES) * 60_000;
  let failed: AssayError | undefined;
  let timedOut: AssayError | undefined;
  let lacking: AssayError | undefined;
  for (const plan of plans) {
    if (timedOut && Date.now() > lastStart) break;
    try {
      return { plan, built: await build(plan) };
    } catch (error) {
      if (!AssayError.is(error)) throw error;
      if (error.code === 'BUILD_TIMED_OUT') timedOut ??= error;
      else if (error.code === 'TOOL_MISSING') lacking ??= error;
      else if (error.code === 'ENVIRONMENT_FAILED') failed ??= error;
      else throw error;
      log?.(`${nameOf(plan)}: ${error.message}`);
    }
  }
  throw timedOut ?? lacking ?? failed ?? new AssayError('IMPOSSIBLE', { detail: 'an environment without a plan' });
}
