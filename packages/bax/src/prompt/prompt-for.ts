import { AssayError, type BaxPrompt } from '@assay/protocol';
import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import { unknownName } from '../nearest-names.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { buildPrompt, SAFETY_PROMPTS, SPEC_TYPES, SYSTEM_PROMPT } from './build-prompt.ts';

/** The prompt for names that a user gave. Throws `UNKNOWN_SCENARIO`, `UNKNOWN_FRAMEWORK` and `BAD_OPTION`. */
export function promptFor(names: { scenario: string; framework: string; spec: string; safety: string }): BaxPrompt {
  // not by find-row.ts: that loads what builds answers, which prompts need nothing of
  const scenario = SCENARIOS.find((one) => one.id === names.scenario);
  if (!scenario) throw new AssayError('UNKNOWN_SCENARIO', unknownName(names.scenario, SCENARIOS));
  const framework = FRAMEWORK_PROMPTS.find((one) => one.id === names.framework);
  if (!framework) throw new AssayError('UNKNOWN_FRAMEWORK', unknownName(names.framework, FRAMEWORK_PROMPTS));
  const spec = SPEC_TYPES.find((one) => one === names.spec);
  if (!spec) throw new AssayError('BAD_OPTION', { option: '--spec', detail: `give one of ${SPEC_TYPES.join(', ')}` });
  const safety = SAFETY_PROMPTS.find((one) => one === names.safety);
  if (!safety)
    throw new AssayError('BAD_OPTION', { option: '--safety', detail: `give one of ${SAFETY_PROMPTS.join(', ')}` });
  return { ...names, system: SYSTEM_PROMPT, prompt: buildPrompt(scenario, framework, { spec, safety }) };
}
