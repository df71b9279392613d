import { z } from 'zod';
import type { Answers, Assignment } from './assignment.ts';
import { hasDuplicateKeys } from './duplicate-keys.ts';

export type ReadAnswer = { ok: true; answers: Answers } | { ok: false; problem: string };

const Reason = z.string().max(20_000);
const SCORED = z.strictObject({ reason: Reason, score: z.number().int().min(0).max(100) });
const CHECKED = z
  .strictObject({ reason: Reason, passed: z.boolean() })
  .transform(({ reason, passed }) => ({ reason, score: passed ? 100 : 0 }));
/** Some services put the thoughts of a model before its answer. */
const THOUGHTS = /^<think>[\s\S]*?<\/think>/;
/** Many models put their answer into a fence, which is not prose. */
const FENCE = /^```(?:json)?\n([\s\S]*?)\n?```$/;

/**
 * Takes exactly the answer that was asked for: one JSON object, the token, an entry for each question, integers in
 * range. Everything else is no answer: what is nearly right may have been written by the submission.
 */
export function readAnswer(
  text: string,
  { kind, questions }: Pick<Assignment, 'kind' | 'questions'>,
  token: string,
): ReadAnswer {
  const body = text.trim().replace(THOUGHTS, '').trim().replace(FENCE, '$1').trim();
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { ok: false, problem: 'the answer is not one JSON object' };
  }
  if (hasDuplicateKeys(body)) return { ok: false, problem: 'the answer has a key twice' };
  const entry: z.ZodType<Answers[string]> = kind === 'score' ? SCORED : CHECKED;
  const Shape = z.strictObject({
    token: z.string(),
    answers: z.strictObject(Object.fromEntries(questions.map(({ id }) => [id, entry]))),
  });
  const parsed = Shape.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      ok: false,
      problem:
        'the answer has not the shape that was asked for: ' +
        `${issue?.path.join('.') || 'it'}: ${issue?.message ?? ''}`,
    };
  }
  if (parsed.data.token !== token) return { ok: false, problem: 'the answer does not repeat the token' };
  return { ok: true, answers: parsed.data.answers };
}
