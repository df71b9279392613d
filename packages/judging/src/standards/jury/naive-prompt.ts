import type { Answers, Assignment } from './assignment.ts';
import type { Prompt } from './sealed-prompt.ts';

/**
 * How the judge that we were shown does it: one text, the submission in it as it is. The positive control of every
 * defence in this folder, and reached by nothing else.
 */
export function naivePrompt({ kind, prompt, questions }: Assignment, text: string): Prompt {
  const value = kind === 'score' ? '<integer 0 to 100>' : '<true or false>';
  const user = `${prompt}

Judge the submission by:
${questions.map((question) => `${question.id}: ${question.text}`).join('\n')}

Reply with JSON: {${questions.map(({ id }) => `"${id}": ${value}`).join(', ')}, "reasoning": "<one sentence>"}

Submission:
${text}`;
  return { system: 'You are an expert judge.', user, token: '' };
}

/** Finds some JSON in the answer and makes the best of it; what is missing gets half. */
export function readNaively(text: string, { questions }: Assignment): Answers {
  let found: Record<string, unknown> = {};
  try {
    const json: unknown = JSON.parse(/\{[\s\S]*\}/.exec(text)?.[0] ?? '');
    if (typeof json === 'object' && json !== null) found = { ...json };
  } catch {
    // Fails open, as its model does.
  }
  return Object.fromEntries(
    questions.map(({ id }) => {
      const value = found[id];
      const score = value === true ? 100 : value === false ? 0 : Number(value ?? 50);
      return [
        id,
        {
          score: Math.round(Math.min(100, Math.max(0, Number.isFinite(score) ? score : 50))),
          reason: typeof found['reasoning'] === 'string' ? found['reasoning'] : '',
        },
      ];
    }),
  );
}
