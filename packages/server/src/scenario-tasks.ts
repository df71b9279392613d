import type { ScenarioHost } from '@assay/engine/kinds/kind';

/**
 * Tasks of scenarios for commands of the engine. What grades them is loaded when the first such task is there, or a
 * receipt is compared with it.
 */
export function scenarioTasks(): ScenarioHost {
  let loaded: Promise<ScenarioHost> | undefined;
  const load = (): Promise<ScenarioHost> =>
    (loaded ??= import('@assay/bax/task/scenario-host').then(({ scenarioHost }) => scenarioHost()));
  return {
    open: async (task, options) => (await load()).open(task, options),
    verifierDigest: async () => (await load()).verifierDigest(),
  };
}
