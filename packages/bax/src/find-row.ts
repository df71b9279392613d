import { AssayError } from '@assay/protocol';
import type { Framework } from './framework.ts';
import { FRAMEWORKS } from './frameworks/index.ts';
import { unknownName } from './nearest-names.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** One of ours by its id, or a scenario from elsewhere as it is. Throws `UNKNOWN_SCENARIO`. */
export function findScenario(id: string | Scenario): Scenario {
  if (typeof id !== 'string') return id;
  const found = SCENARIOS.find((scenario) => scenario.id === id);
  if (!found) throw new AssayError('UNKNOWN_SCENARIO', unknownName(id, SCENARIOS));
  return found;
}

/** One of ours by its id, or a framework from elsewhere as it is. Throws `UNKNOWN_FRAMEWORK`. */
export function findFramework(id: string | Framework): Framework {
  if (typeof id !== 'string') return id;
  const found = FRAMEWORKS.find((framework) => framework.id === id);
  if (!found) throw new AssayError('UNKNOWN_FRAMEWORK', unknownName(id, FRAMEWORKS));
  return found;
}
