import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { sha256 } from '@assay/files/content-digest';
import { hasDuplicateKeys } from '../jury/duplicate-keys.ts';

const ITEM = 'expected the number of an item, from 1, or its text';
const GivenAnswer = z.strictObject({
  item: z.union([z.number().int(ITEM).min(1, ITEM), z.string().min(1, ITEM)], ITEM),
  passed: z.boolean('expected true or false'),
  evidence: z.string('expected a text: on what ground').min(1, 'expected a text: on what ground').max(10_000),
});
export type GivenAnswer = z.infer<typeof GivenAnswer>;

const AnswersDocument = z.strictObject({
  $schema: z.string().optional(),
  /** Name of whoever answers. */
  by: z.string().min(1).max(200).optional(),
  answers: z.array(GivenAnswer, 'expected an array of {item, passed, evidence}').max(500),
});

/**
 * Answers to a checklist that were written down: `{"by": "Ada", "answers": [{"item": 1, "passed": true, "evidence":
 * "read it"}]}`.
 */
export interface ChecklistAnswers extends z.infer<typeof AnswersDocument> {
  /** For messages. */
  file: string;
  /** sha256 hex of the text. */
  digest: string;
}

/** Throws `ANSWERS_INVALID`, which names the place in the document and what was expected there. */
export function parseAnswers(text: string, file = 'the answers file'): ChecklistAnswers {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AssayError('ANSWERS_INVALID', {
      file,
      field: 'the document',
      detail: `no JSON: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
  if (hasDuplicateKeys(text))
    throw new AssayError('ANSWERS_INVALID', { file, field: 'the document', detail: 'an object has a key twice' });
  const parsed = AnswersDocument.safeParse(json);
  if (parsed.success) return { ...parsed.data, file, digest: sha256(text) };
  const [issue] = parsed.error.issues;
  throw new AssayError('ANSWERS_INVALID', {
    file,
    field: showPath(issue?.path ?? []),
    detail: issue?.message ?? 'not understood',
  });
}

/** `answers[2].item` */
export function showPath(path: readonly PropertyKey[]): string {
  const shown = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
  return shown === '' ? 'the document' : shown;
}
