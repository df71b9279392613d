/** Questions to a model about a submission. The author of the standard wrote them, so they are trusted. */
export interface Assignment {
  /** `score`: 0 to 100 for each question. `check`: met or not, counted as 100 or 0. */
  kind: 'score' | 'check';
  /** The task of the submission, and how to assess it. Empty when there are only questions. */
  prompt: string;
  questions: readonly Question[];
}

/** `id`: short, of letters and digits, the name of the answer. */
export interface Question {
  id: string;
  text: string;
}

/** `score`: 0 to 100. */
export interface QuestionAnswer {
  score: number;
  reason: string;
}
export type Answers = Record<string, QuestionAnswer>;
