import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runTests, type SandboxProvider } from '@assay/sandbox';
import type { SubmissionForm } from './submission-forms.ts';

/** Declares a test for each form. */
export function describeSubmissionForms(
  name: string,
  provider: SandboxProvider,
  forms: readonly SubmissionForm[],
  { skip }: { skip?: string | undefined } = {},
): void {
  describe(`submissions as they are written, with ${name}`, { skip: skip ?? false }, () => {
    for (const form of forms) test(form.name, () => checkForm(provider, form));
  });
}

async function checkForm(provider: SandboxProvider, form: SubmissionForm): Promise<void> {
  const { code, functionName = 'add', language = 'javascript', input = [2, 3], error } = form;
  const expected = 'expected' in form ? form.expected : 5;
  const [result] = await runTests(provider, code, functionName, [{ input, expected }], { language, timeoutMs: 60_000 });
  assert.ok(result);
  if (error === undefined) {
    assert.equal(result.error, undefined);
    assert.deepEqual(result.got, expected);
    return;
  }
  assert.equal(result.passed, false);
  assert.match(result.error ?? '', error);
  assert.doesNotMatch(result.error ?? '', /\n/, 'an error is one line');
}
