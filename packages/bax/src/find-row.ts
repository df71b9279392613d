import { AssayError } from '@assay/protocol';
import type { Framework } from './framework.ts';
import { FRAMEWORKS } from './frameworks/index.ts';
import { unknownName } from './nearest-names.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** By upstream's id. Throws `UNKNOWN_SCENARIO`. */
export function findScenario(id: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.id === id);
  if (!found) throw new AssayError('UNKNOWN_SCENARIO', unknownName(id, SCENARIOS));
  return found;
}

/** By upstream's id. Throws `UNKNOWN_FRAMEWORK`. */
export function findFramework(id: string): Framework {
  const found = FRAMEWORKS.find((framework) => framework.id === id);
  if (!found) throw new AssayError('UNKNOWN_FRAMEWORK', unknownName(id, FRAMEWORKS));
  return found;
}
