import { AssayError } from '@assay/protocol';
import { SAFETY_PROMPTS, SPEC_TYPES, type SafetyPrompt, type SpecType } from '../prompt/build-prompt.ts';

/** Checks a user's words on the prompt. Throws `BAD_OPTION`. */
export function checkPromptWords(words: {
  spec: string | undefined;
  safety: string | undefined;
  temperature: string | undefined;
}): { spec: SpecType; safety: SafetyPrompt; temperature?: number } {
  const spec = SPEC_TYPES.find((each) => each === (words.spec ?? 'openapi'));
  if (spec === undefined)
    throw new AssayError('BAD_OPTION', { option: '--spec', detail: `give one of ${SPEC_TYPES.join(', ')}` });
  const safety = SAFETY_PROMPTS.find((each) => each === (words.safety ?? 'none'));
  if (safety === undefined)
    throw new AssayError('BAD_OPTION', { option: '--safety', detail: `give one of ${SAFETY_PROMPTS.join(', ')}` });
  if (words.temperature === undefined) return { spec, safety };
  const temperature = /^\d(\.\d{1,6})?$/.test(words.temperature) ? Number(words.temperature) : Number.NaN;
  if (!(temperature <= 2))
    throw new AssayError('BAD_OPTION', { option: '--temperature', detail: 'give a number from 0 to 2' });
  return { spec, safety, temperature };
}
