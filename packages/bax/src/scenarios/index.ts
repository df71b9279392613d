import type { Scenario } from '../scenario.ts';

/** Every scenario, in the order of their ids. */
export const SCENARIOS: readonly Scenario[] = [];
