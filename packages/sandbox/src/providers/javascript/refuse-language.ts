import { AssayError } from '@assay/protocol/errors';
import type { SubmissionLanguage } from '../../run-tests/case-outcome.ts';

/** Throws `PROVIDER_UNAVAILABLE` for languages that no JavaScript engine runs. */
export function refuseLanguage(name: string, language: SubmissionLanguage): void {
  if (language === 'javascript' || language === 'typescript') return;
  throw new AssayError('PROVIDER_UNAVAILABLE', {
    name,
    detail: `it runs JavaScript, not ${language}`,
    hint: 'Take bubblewrap.',
  });
}
