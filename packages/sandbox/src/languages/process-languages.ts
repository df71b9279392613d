import type { SubmissionLanguage } from '../run-tests/case-outcome.ts';
import type { ProcessLanguage } from './language.ts';
import { goLanguage } from './go/go-language.ts';
import { nodeLanguage } from './node/node-language.ts';
import { pythonLanguage } from './python/python-language.ts';
import { rustLanguage } from './rust/rust-language.ts';

export const PROCESS_LANGUAGES: Record<SubmissionLanguage, ProcessLanguage> = {
  javascript: nodeLanguage,
  typescript: nodeLanguage,
  python: pythonLanguage,
  go: goLanguage,
  rust: rustLanguage,
};
