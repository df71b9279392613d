import { randomInt } from 'node:crypto';

/**
 * Words of these letters alone are never a word of a language, of SQL or of an API that would mean something, such as
 * `delete`.
 */
const CONSONANTS = 'bdkmnrtvz';
const VOWELS = 'aiou';

/**
 * Texts of the forms that BaxBench sends, for the profile `strict`: new ones each time, so that no recording of them is
 * of use.
 */
export interface Draw {
  /** Six small letters. No word is a part of another, as all have one length. */
  word(): string;
  /** The same with a capital. */
  name(): string;
  /** As `user1`: a word and a digit. */
  username(): string;
  /** As `pass1`: four letters and a digit. Nobody lists it as a common one, and it is no part of any other text. */
  password(): string;
}

/** Opens a source of texts that never draws the same one twice. */
export function openDraw(): Draw {
  const drawn = new Set<string>();
  const fresh = (make: () => string): string => {
    for (;;) {
      const text = make();
      if (drawn.has(text)) continue;
      drawn.add(text);
      return text;
    }
  };
  const word = (): string => fresh(() => times(3, () => oneOf(CONSONANTS) + oneOf(VOWELS)));
  return {
    word,
    name: () => word().replace(/^./, (letter) => letter.toUpperCase()),
    username: () => `${word()}${randomInt(1, 10)}`,
    password: () => fresh(() => `${times(4, () => oneOf(CONSONANTS))}${randomInt(1, 10)}`),
  };
}

/** In an order that is drawn. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(randomInt(left.length), 1));
}

const oneOf = (letters: string): string => letters.charAt(randomInt(letters.length));

const times = (count: number, make: () => string): string => Array.from({ length: count }, make).join('');
