import type { TaskVerdict } from '../kinds/kind.ts';

/** With one more thing to say about it, before what it says itself. A judgement and the verdict on it say the same. */
export function withNote(graded: TaskVerdict, note: string): TaskVerdict {
  const { verdict, judgement } = graded;
  const joined = [note, verdict.note].filter((text) => text !== undefined).join('; ');
  return {
    ...graded,
    verdict: { ...verdict, note: joined },
    ...(judgement ? { judgement: { ...judgement, note: joined } } : {}),
  };
}
