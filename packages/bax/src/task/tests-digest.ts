import { join } from 'node:path';
import { digestDirectory, sha256 } from '@assay/files/content-digest';
import type { FrameworkPrompt } from '../framework.ts';
import type { Scenario } from '../scenario.ts';
import { frameworkFolder, scenarioFolder } from './row-names.ts';

/**
 * sha256 hex over what makes a row the task that it is: the scenario's API and tests, and the packages of the
 * framework. Reference apps do not count, nor does the code that grades everything, which receipts name.
 */
export async function testsDigest(
  scenario: Pick<Scenario, 'id'>,
  framework: Pick<FrameworkPrompt, 'id'>,
): Promise<string> {
  const packages = frameworkFolder(framework);
  const parts = [
    digestDirectory(scenarioFolder(scenario), { ignore: ['apps'] }),
    ...['manifest', 'lock'].map((name) => digestDirectory(join(packages, name))),
  ];
  return sha256((await Promise.all(parts)).join('\n'));
}
