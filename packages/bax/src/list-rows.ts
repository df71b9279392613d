import type { CweNumber } from './cwe.ts';
import { FRAMEWORK_PROMPTS } from './frameworks/prompts.ts';
import { FRAMEWORKS } from './frameworks/index.ts';
import { missingPrograms } from './frameworks/recipes/missing-programs.ts';
import type { Language } from './profile.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/index.ts';

export interface ListedRow {
  scenario: string;
  framework: string;
  language: Language;
  cwes: readonly CweNumber[];
  /** Characters of the API in either form. */
  specSize: { openapi: number; text: number };
  /** Whether answers can be graded on this machine, and in one line why they cannot. */
  gradable: boolean;
  why: string | null;
}

/** Every row, by scenario and then by framework. Looks at this machine, and fetches nothing. */
export async function listRows(): Promise<ListedRow[]> {
  const unavailable = new Map(await Promise.all(FRAMEWORKS.map(async (framework) => [framework.id, await framework.unavailable()] as const)));
  const lacking = new Map(await Promise.all(SCENARIOS.map(async (scenario) => [scenario.id, await whyUngraded(scenario)] as const)));
  return SCENARIOS.flatMap((scenario) => {
    const api = scenario.api();
    return FRAMEWORK_PROMPTS.map((framework) => {
      const ofFramework = unavailable.has(framework.id) ? (unavailable.get(framework.id) ?? null) : 'answers in this framework cannot be graded yet';
      const why = lacking.get(scenario.id) ?? ofFramework;
      return {
        scenario: scenario.id,
        framework: framework.id,
        language: framework.language,
        cwes: scenario.cwes,
        specSize: { openapi: api.openapi.length, text: api.text.length },
        gradable: why === null,
        why,
      };
    });
  });
}

/** Why answers to a scenario cannot be graded on this machine, whatever the framework; null when they can. */
export async function whyUngraded({ tests, programs }: Pick<Scenario, 'tests' | 'programs'>): Promise<string | null> {
  if (tests === null) return 'this scenario has no tests yet';
  const missing = await missingPrograms(programs);
  return missing.length === 0 ? null : `this machine lacks ${missing.join(', ')}`;
}
