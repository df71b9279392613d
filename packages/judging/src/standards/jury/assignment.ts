/** What a model is asked about a submission. Written by the author of the standard, so trusted. */
export interface Assignment {
  /** `score`: 0 to 100 for each question. `check`: met or not, counted as 100 or 0. */
  kind: 'score' | 'check';
  /** What the submission was to be, and how to look at it; empty when there are only questions. */
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
