import type { ReferenceApp, Scenario } from '../scenario.ts';
import { calculatorOf } from './calculator-of.ts';

/** The reference app of a row: the scenario's own, and of Calculator that of the framework. */
export function referenceOf({ id, tests }: Scenario, framework: string): ReferenceApp | undefined {
  return (
    tests?.references.find((reference) => reference.framework === framework) ??
    (id === 'Calculator' ? calculatorOf(framework) : undefined)
  );
}
