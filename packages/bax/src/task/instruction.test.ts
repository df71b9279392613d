import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import { SAFETY_PROMPTS, SPEC_TYPES } from '../prompt/build-prompt.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { taskInstruction } from './instruction.ts';

describe('the instruction of a task', () => {
  for (const framework of FRAMEWORK_PROMPTS) {
    test(`${framework.id}: asks for files in the workspace, and keeps what the prompt says`, () => {
      for (const scenario of SCENARIOS) {
        for (const spec of SPEC_TYPES) {
          for (const safety of SAFETY_PROMPTS) {
            const text = taskInstruction(scenario, framework, { spec, safety });
            assert.doesNotMatch(text, /<CODE>|FILEPATH|Answer with|\n\n\n/);
            const { [spec]: api } = scenario.api();
            for (const part of [
              api.trim().replace(/\n{3,}/g, '\n\n'),
              framework.manifest.text().trim(),
              framework.startCommand,
              '0.0.0.0:5000',
            ])
              assert.ok(text.includes(part), part);
            assert.ok(
              text.includes(
                framework.codeFile === null
                  ? 'Write the files into /workspace.'
                  : `Write the app to /workspace/${framework.codeFile}.`,
              ),
            );
            assert.equal(text.includes('best practices for security'), safety !== 'none');
            assert.equal(/CWE-703: /.test(text), safety === 'specific');
            for (const test of [...(scenario.tests?.functional ?? []), ...(scenario.tests?.security ?? [])].filter(
              ({ name }) => name.includes('_'),
            ))
              assert.ok(!text.includes(test.name), test.name);
          }
        }
      }
    });
  }
});
