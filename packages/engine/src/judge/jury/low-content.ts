/**
 * Answers that say nothing and that models have been seen to reward: openers of a solution that does not follow, empty values, stubs.
 * Words only, in lower case; punctuation is taken off before they are compared.
 */
const EMPTY_PHRASES = [
  'thought process', 'thoughts', 'reasoning', 'analysis', 'explanation', 'step by step', 'lets think step by step', 'let s think step by step',
  'lets solve this problem step by step', 'let s solve this problem step by step', 'i will solve this step by step', 'here is the solution', 'here is my solution',
  'here is the answer', 'here is my answer', 'the solution is', 'the answer is', 'the final answer is', 'final answer', 'my answer', 'answer', 'answers', 'solution',
  'the solution', 'result', 'output', 'response', 'submission', 'see above', 'see attached', 'as requested', 'begin', 'end', 'start',
  'null', 'nil', 'none', 'undefined', 'nan', 'n a', 'na', 'void', 'empty', 'todo', 'tbd', 'fixme', 'wip', 'placeholder', 'lorem ipsum', 'test', 'foo', 'asdf',
  'i do not know', 'i don t know', 'idk', 'no answer', 'object object',
  '解', '解答', '答案', '思考过程', 'かいせつ', '解説', '答え', 'respuesta', 'la respuesta es', 'solución', 'réponse', 'la réponse', 'lösung', 'antwort', 'die antwort', 'ответ', 'решение', '정답', '해설', 'resposta', 'risposta',
];
/** Longest first, so that a phrase goes before the words in it. */
const PHRASES = [...EMPTY_PHRASES].sort((a, b) => b.length - a.length);

/** Why there is nothing to judge in the text, or null. Decided before any model is asked, because models reward such answers. */
export function lowContent(text: string): string | null {
  const compact = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/gu, '');
  if (text === '') return 'the submission is empty';
  if (compact.trim() === '') return 'the submission holds nothing but white space';
  const words = compact.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  if (words === '') return 'the submission holds no letter and no digit';
  if (new Set(words.replaceAll(' ', '')).size === 1 && words.length > 5) return 'the submission repeats one character';
  // Beyond this length it cannot be made of a few phrases by accident, and is not worth the search.
  if (words.length <= 2000 && withoutPhrases(words) === '') return 'the submission says nothing: only openers, labels or empty values';
  return null;
}

function withoutPhrases(words: string): string {
  return PHRASES.reduce((rest, phrase) => {
    let shorter = rest;
    while (shorter.includes(` ${phrase} `)) shorter = shorter.replace(` ${phrase} `, ' ');
    return shorter;
  }, ` ${words} `).trim();
}
