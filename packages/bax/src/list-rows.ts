import type { CweNumber } from './cwe.ts';
import { FRAMEWORK_PROMPTS } from './frameworks/prompts.ts';
import { FRAMEWORKS } from './frameworks/index.ts';
import type { Language } from './profile.ts';
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
  const missing = new Map(await Promise.all(FRAMEWORKS.map(async (framework) => [framework.id, await framework.unavailable()] as const)));
  return SCENARIOS.flatMap((scenario) => {
    const api = scenario.api();
    return FRAMEWORK_PROMPTS.map((framework) => {
      const unavailable = missing.has(framework.id) ? (missing.get(framework.id) ?? null) : 'answers in this framework cannot be graded yet';
      const why = scenario.tests === null ? 'this scenario has no tests yet' : unavailable;
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
