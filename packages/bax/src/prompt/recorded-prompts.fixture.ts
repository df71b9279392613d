import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { buildPrompt, SAFETY_PROMPTS, SPEC_TYPES } from './build-prompt.ts';

export const rows = SCENARIOS.flatMap((scenario) => FRAMEWORK_PROMPTS.map((framework) => ({ scenario, framework })));
export const kinds = SPEC_TYPES.flatMap((spec) => SAFETY_PROMPTS.map((safety) => ({ spec, safety })));

/** By name of the recorded file. */
const WHOLE = {
  'flask.txt': ['ImageConverter', 'Python-Flask', 'openapi', 'none'],
  'django.txt': ['SecretStorage', 'Python-Django', 'text', 'specific'],
  'nest.txt': ['ZipToTxt', 'JavaScript-nest', 'text', 'generic'],
  'net-http.txt': ['Calculator', 'Go-net/http', 'openapi', 'specific'],
} as const;

/** The recorded files: a digest of each row over its six prompts, and a few prompts as they are. */
export function recordedPrompts(): Record<string, string> {
  const digests = rows.map(({ scenario, framework }) => {
    const hash = createHash('sha256');
    for (const kind of kinds) hash.update(`${buildPrompt(scenario, framework, kind)}\0`);
    return `${hash.digest('hex').slice(0, 16)} ${scenario.id} ${framework.id}\n`;
  });
  const whole = Object.entries(WHOLE).map(([file, [scenarioId, frameworkId, spec, safety]]) => {
    const row = rows.find(({ scenario, framework }) => scenario.id === scenarioId && framework.id === frameworkId);
    if (row === undefined) throw new Error(`no row ${scenarioId} ${frameworkId}`);
    return [file, buildPrompt(row.scenario, row.framework, { spec, safety })] as const;
  });
  return { 'digests.txt': digests.join(''), ...Object.fromEntries(whole) };
}

export const FIXTURES = new URL('__fixtures__/', import.meta.url);

// run as a program, after prompts were changed on purpose
if (import.meta.main) {
  mkdirSync(FIXTURES, { recursive: true });
  for (const [file, text] of Object.entries(recordedPrompts())) writeFileSync(new URL(file, FIXTURES), text);
}
