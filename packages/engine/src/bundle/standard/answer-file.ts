import type { Language, Standard } from '@assay/protocol';

/** The file that holds the answer to a standard, and its language; none when any text is accepted. */
export interface AnswerFile {
  answer: string;
  language?: Language;
}

const NAMES: Record<Language, string> = {
  javascript: 'solution.js',
  typescript: 'solution.ts',
  python: 'solution.py',
  go: 'solution.go',
  rust: 'solution.rs',
};

/**
 * Returns `solution.*` when all test cases ask for one language, else `submission.md`, which may hold fenced blocks of
 * several.
 */
export function answerFileOf(standard: Standard): AnswerFile {
  const [language, ...others] = new Set(languagesOf(standard));
  return language === undefined || others.length > 0
    ? { answer: 'submission.md' }
    : { answer: NAMES[language], language };
}

function languagesOf(standard: Standard): Language[] {
  if (standard.type === 'composite') return standard.children.flatMap((child) => languagesOf(child.standard));
  return standard.type === 'test_cases' ? [standard.language ?? 'javascript'] : [];
}
