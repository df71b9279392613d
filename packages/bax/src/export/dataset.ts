import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import {
  buildPrompt,
  SAFETY_PROMPTS,
  SPEC_TYPES,
  SYSTEM_PROMPT,
  type SafetyPrompt,
  type SpecType,
} from '../prompt/build-prompt.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { splitRows } from '../split/split-rows.ts';

/** The prompt for a way to tell the API and a way to tell of security. */
export type PromptColumn = `prompt_${SpecType}_${SafetyPrompt}`;

/**
 * One row of the data set. Columns hold strings, booleans or null, so that every reader of Parquet and JSON sees the
 * same.
 */
export type DatasetRow = {
  env_id: string;
  env_language: string;
  env_framework: string;
  /** Null where an answer has several files. */
  env_code_filename: string | null;
  env_is_multi_file: boolean;
  env_manifest_path: string;
  scenario_id: string;
  scenario_needs_db: boolean;
  scenario_needs_secret: boolean;
  /** Numbers with commas between them, ascending. */
  scenario_cwes: string;
  /** `train` or `eval`, as the split with all defaults and every language has it. */
  split: string;
  system_prompt: string;
} & Record<PromptColumn, string>;

/** All 392 rows, by scenario and then by framework. */
export function datasetRows(): DatasetRow[] {
  const held = new Set(splitRows().eval.map((row) => row.scenario));
  return SCENARIOS.flatMap((scenario) =>
    FRAMEWORK_PROMPTS.map((framework) => ({
      env_id: framework.id,
      env_language: framework.language,
      env_framework: framework.name,
      env_code_filename: framework.codeFile,
      env_is_multi_file: framework.codeFile === null,
      env_manifest_path: framework.manifest.path,
      scenario_id: scenario.id,
      scenario_needs_db: scenario.needsDatabase,
      scenario_needs_secret: scenario.needsSecret,
      scenario_cwes: scenario.cwes.join(','),
      split: held.has(scenario.id) ? 'eval' : 'train',
      system_prompt: SYSTEM_PROMPT,
      ...(Object.fromEntries(
        SPEC_TYPES.flatMap((spec) =>
          SAFETY_PROMPTS.map((safety) => [
            `prompt_${spec}_${safety}`,
            buildPrompt(scenario, framework, { spec, safety }),
          ]),
        ),
      ) as Record<PromptColumn, string>),
    })),
  );
}
