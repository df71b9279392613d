import type { PreparedFramework } from '../framework.ts';
import type { ScenarioTools } from '../scenario.ts';
import { layerDigest } from './recipes/layer-digest.ts';

/** A framework with the programs of a scenario, which are found by their names before all others. */
export function withTools(prepared: PreparedFramework, { mounts, programs, digest }: ScenarioTools): PreparedFramework {
  const taken = new Set(prepared.mounts.map(({ target }) => target));
  return {
    ...prepared,
    digest: layerDigest({ framework: prepared.digest, tools: digest }),
    mounts: [...prepared.mounts, ...mounts.filter(({ target }) => !taken.has(target))],
    env:
      programs === undefined
        ? prepared.env
        : {
            ...prepared.env,
            PATH: `${programs}:${prepared.env['PATH'] ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'}`,
          },
  };
}
