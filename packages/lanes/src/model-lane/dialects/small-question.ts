/** What the lane itself asks a service, to see whether it answers. */
export const SMALL_QUESTION = 'Answer with the word ok.';
