/** The lane's own question, which shows whether a service answers. */
export const SMALL_QUESTION = 'Answer with the word ok.';
