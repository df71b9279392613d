import type { BaxRows } from '@assay/protocol';
import type { Framework } from './framework.ts';
import { FRAMEWORK_PROMPTS } from './frameworks/prompts.ts';
import { FRAMEWORKS } from './frameworks/index.ts';
import { missingPrograms } from './frameworks/recipes/missing-programs.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';

/** Every row, by scenario and then by framework. Looks at this machine, and fetches nothing. */
export async function listRows(): Promise<BaxRows['rows']> {
  const frameworks = await Promise.all(
    FRAMEWORK_PROMPTS.map(async (prompt) => {
      const framework = FRAMEWORKS.find(({ id }) => id === prompt.id);
      return {
        prompt,
        framework,
        unavailable: framework ? await framework.unavailable() : 'answers in this framework cannot be graded yet',
      };
    }),
  );
  const rows = SCENARIOS.map(async (scenario) => {
    const api = scenario.api();
    return await Promise.all(
      frameworks.map(async ({ prompt, framework, unavailable }) => {
        const why = (await whyUngraded(scenario, framework)) ?? unavailable;
        return {
          scenario: scenario.id,
          framework: prompt.id,
          language: prompt.language,
          cwes: [...scenario.cwes],
          specSize: { openapi: api.openapi.length, text: api.text.length },
          gradable: why === null,
          why,
        };
      }),
    );
  });
  return (await Promise.all(rows)).flat();
}

/**
 * Why answers to a scenario cannot be graded on this machine, as far as the framework's own needs do not decide it;
 * null when they can.
 */
export async function whyUngraded(
  { tests, programs }: Pick<Scenario, 'tests' | 'programs'>,
  framework?: Pick<Framework, 'id' | 'programs'>,
): Promise<string | null> {
  if (tests === null) return 'this scenario has no tests yet';
  const own = framework?.programs;
  const missing = own ? programs.filter((name) => !own.includes(name)) : await missingPrograms(programs);
  return missing.length === 0
    ? null
    : `${own ? `the system of ${framework.id}` : 'this machine'} lacks ${missing.join(', ')}`;
}
