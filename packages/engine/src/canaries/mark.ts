import { randomInt } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Canary, CanaryForm } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';

/** The mark of a canary: two made-up words and a number. */
export type Mark = Pick<Canary, 'identifier' | 'constant'>;

const CONSONANTS = 'bdfgklmnprstvz';
const VOWELS = 'aeiou';
/** Eleven digits, so a given number is one of ninety thousand million. */
const SMALLEST = 10_000_000_000;
/** Limit on the unpacked bytes searched in one submission. */
const MOST_UNPACKED = 16 * 1024 * 1024;

/** Makes a unique mark: about 44 bits in the words, 36 in the number. */
export function makeMark(): Mark {
  return { identifier: `${makeWord()}_${makeWord()}`, constant: SMALLEST + randomInt(2 ** 36) };
}

function makeWord(): string {
  const pick = (letters: string): string => letters.charAt(randomInt(letters.length));
  return Array.from({ length: 3 }, () => pick(CONSONANTS) + pick(VOWELS)).join('') + pick(CONSONANTS);
}

/** Finds the files of a submission that carry one of the marks, each mark once per file. */
export function findMarks(
  change: ChangeSet,
  marks: readonly Mark[],
): { canary: number; path: string; form: CanaryForm }[] {
  const finders = marks.map(markFinder);
  let unpacked = 0;
  return change.files.flatMap(({ path, content }) => {
    const inner = unpack(content, MOST_UNPACKED - unpacked);
    unpacked += inner.length;
    const texts = [path, ...[content, inner].filter((bytes) => bytes.length > 0).flatMap(readings)];
    return finders.flatMap((find, canary) => {
      const form = texts.map(find).find((found) => found !== null);
      return form === undefined || form === null ? [] : [{ canary, path, form }];
    });
  });
}

/** Reads the bytes as text and, where there are zeros, as text of two-byte characters too. */
function readings(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  return text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text];
}

function unpack(content: Buffer, most: number): Buffer {
  if (most <= 0 || content[0] !== 0x1f || content[1] !== 0x8b) return Buffer.alloc(0);
  try {
    return gunzipSync(content, { maxOutputLength: most });
  } catch {
    return Buffer.alloc(0);
  }
}

/**
 * Returns a function that says in which form a text has the mark, or null. Case, camel case and digit separators make
 * no difference.
 */
export function markFinder({ identifier, constant }: Mark): (text: string) => CanaryForm | null {
  const [first = '', second = ''] = identifier.split('_');
  const named = new RegExp(`${first}[_\\-. ]?${second}`);
  const digits = (radix: number): string => [...constant.toString(radix)].join("[_,']?");
  const counted = [
    new RegExp(`(?<![0-9])${digits(10)}(?![0-9])`),
    new RegExp(`0(?:x_?${digits(16)}(?![0-9a-f])|o_?${digits(8)}(?![0-7])|b_?${digits(2)}(?![01]))`),
  ];
  const spellings = [identifier, identifier.toUpperCase(), String(constant)];
  const inAnyCase = [
    [...identifier].toReversed().join(''),
    ...spellings.map((text) => Buffer.from(text).toString('hex')),
  ];
  const exact = spellings.flatMap(inBase64);
  return (text) => {
    const lower = text.toLowerCase();
    if (lower.includes(first) && named.test(lower)) return 'identifier';
    if (counted.some((pattern) => pattern.test(lower))) return 'constant';
    return inAnyCase.some((each) => lower.includes(each)) || exact.some((each) => text.includes(each))
      ? 'encoded'
      : null;
  };
}

/** Encodes a text at each of the three offsets, without the digits that neighbours share. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = shifted.length - (shifted.length % 3);
    return shifted
      .subarray(0, whole)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4);
  });
}
