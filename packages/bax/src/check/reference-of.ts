import type { ReferenceApp } from '../reference-app.ts';
import type { Scenario } from '../scenario.ts';
import { calculatorOf } from './calculator-of.ts';

/** The reference app of a row: the scenario's own, or for Calculator the framework's. */
export async function referenceOf(
  { id, references }: Pick<Scenario, 'id' | 'references'>,
  framework: string,
): Promise<ReferenceApp | undefined> {
  return (
    (await references?.())?.find((reference) => reference.framework === framework) ??
    (id === 'Calculator' ? calculatorOf(framework) : undefined)
  );
}
