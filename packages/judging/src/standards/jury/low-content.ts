/**
 * Answers that say nothing and that models have been seen to reward: openers of a solution that does not follow, empty
 * values, stubs. Words only, in lower case; punctuation is taken off before they are compared.
 */
const EMPTY_PHRASES = [
  'thought process',
  'thoughts',
  'reasoning',
  'analysis',
  'explanation',
  'step by step',
  'lets think step by step',
  'let s think step by step',
  'lets solve this problem step by step',
  'let s solve this problem step by step',
  'i will solve this step by step',
  'here is the solution',
  'here is my solution',
  'here is the answer',
  'here is my answer',
  'the solution is',
  'the answer is',
  'the final answer is',
  'final answer',
  'my answer',
  'answer',
  'answers',
  'solution',
  'the solution',
  'result',
  'output',
  'response',
  'submission',
  'see above',
  'see attached',
  'as requested',
  'begin',
  'end',
  'start',
  'null',
  'nil',
  'none',
  'undefined',
  'nan',
  'n a',
  'na',
  'void',
  'empty',
  'todo',
  'tbd',
  'fixme',
  'wip',
  'placeholder',
  'lorem ipsum',
  'test',
  'foo',
  'asdf',
  'i do not know',
  'i don t know',
  'idk',
  'no answer',
  'object object',
  '解',
  '解答',
  '答案',
  '思考过程',
  'かいせつ',
  '解説',
  '答え',
  'respuesta',
  'la respuesta es',
  'solución',
  'réponse',
  'la réponse',
  'lösung',
  'antwort',
  'die antwort',
  'ответ',
  'решение',
  '정답',
  '해설',
  'resposta',
  'risposta',
];
/** Longest first, so that a phrase goes before the words in it. */
const PHRASES = [...EMPTY_PHRASES].sort((a, b) => b.length - a.length);

/** Longer texts are not made of a few phrases by accident, and are not searched for them. */
const LONGEST_SEARCHED = 20_000;
/** Hangul fillers and the like are letters by name only. */
const LETTERS = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/gu;

/**
 * Why there is nothing to judge in the text, or null. Decided before any model is asked, because models reward such
 * answers.
 */
export function lowContent(text: string): string | null {
  if (text === '') return 'the submission is empty';
  const { distinct, count } = countLetters(text);
  if (distinct === 0)
    return /[^\s\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(text)
      ? 'the submission holds no letter and no digit'
      : 'the submission holds nothing but white space';
  if (distinct === 1 && count > 5) return 'the submission repeats one character';
  if (count > LONGEST_SEARCHED) return null;
  const compact = text.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}/gu, '');
  const words = compact
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return withoutPhrases(words) === '' ? 'the submission says nothing: only openers, labels or empty values' : null;
}

/** `distinct`: 0, 1 or 2, which means more than one; `count` may then be less than all, unless the text is short. */
function countLetters(text: string): { distinct: number; count: number } {
  let first: string | null = null;
  let distinct = 0;
  let count = 0;
  for (const [letter] of text.matchAll(LETTERS)) {
    count += 1;
    first ??= letter.toLowerCase();
    distinct = Math.max(distinct, letter.toLowerCase() === first ? 1 : 2);
    if (distinct === 2 && count > LONGEST_SEARCHED) break;
  }
  return { distinct, count };
}

function withoutPhrases(words: string): string {
  return PHRASES.reduce((rest, phrase) => {
    let shorter = rest;
    while (shorter.includes(` ${phrase} `)) shorter = shorter.replace(` ${phrase} `, ' ');
    return shorter;
  }, ` ${words} `).trim();
}
