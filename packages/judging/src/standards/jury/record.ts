import { canonicalJson } from '@assay/protocol';
import { z } from 'zod';
import { sha256 } from '@assay/files/content-digest';
import { median } from './median.ts';
import { readAnswer } from './read-answer.ts';

/** One request to a model and what came. The transcript is all of them, in order. */
export const Exchange = z.strictObject({
  /**
   * `canary`: a question of ours, to see whether the model obeys data. `control`: the same questions about a text of
   * ours, to see whose fault it is that there is no answer.
   */
  purpose: z.enum(['sample', 'canary', 'control']),
  sample: z.number().int().nonnegative(),
  framing: z.string(),
  attempt: z.number().int().nonnegative(),
  /** Token that the answer had to repeat. Empty when the defences were off. */
  token: z.string(),
  /** sha256 hex of the canonical JSON of `{system, user}`. */
  prompt: z.string(),
  answer: z.string().nullable(),
  stop: z.enum(['end', 'truncated', 'refused']).nullable(),
  servedBy: z.string().optional(),
  /** Why the answer could not be used; null when it was. */
  problem: z.string().nullable(),
});
export type Exchange = z.infer<typeof Exchange>;

export const Sample = z.strictObject({
  framing: z.string(),
  answers: z.record(z.string(), z.strictObject({ score: z.number().int().min(0).max(100), reason: z.string() })),
});
export type Sample = z.infer<typeof Sample>;

/** Questions to a model and its answers, from which a verdict can be computed again without it. */
export const ModelRecord = z.strictObject({
  model: z.string(),
  endpoint: z.string(),
  kind: z.enum(['score', 'check']),
  questions: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  samples: z.array(Sample),
  exchanges: z.array(Exchange),
});
export type ModelRecord = z.infer<typeof ModelRecord>;

/** sha256 hex of the transcript of a record. */
export function digestTranscript(exchanges: readonly Exchange[]): string {
  return sha256(canonicalJson(exchanges));
}

/**
 * Score of each question by the record: the median of its samples, each read again from the answers in the transcript.
 * Null when the samples are not what the transcript says.
 */
export function scoresOfRecord(record: ModelRecord): Record<string, number> | null {
  const used = record.exchanges.filter(({ purpose, problem }) => purpose === 'sample' && problem === null);
  if (used.length !== record.samples.length) return null;
  const scores: Record<string, number[]> = {};
  for (const [index, { answer, token }] of used.entries()) {
    const read = readAnswer(answer ?? '', record, token);
    if (!read.ok || canonicalJson(read.answers) !== canonicalJson(record.samples[index]?.answers)) return null;
    for (const [id, { score }] of Object.entries(read.answers)) (scores[id] ??= []).push(score);
  }
  return Object.fromEntries(Object.entries(scores).map(([id, values]) => [id, median(values)]));
}
