/** The ways in which a text can ask for the best result, as a reader understands who wants to please. */
const DEMANDS = [
  /\b(?:scores?|grades?|marks?|rating|points?|punkte|puntuaci[oó]n|nota|notes?|points|voto|pontua[cç][aã]o)\b[^\n]{0,50}?\b(?:100|one hundred|hundert|cien|cent|full|maximum|max|perfect|highest|top|m[aá]xima)\b/iu,
  /\b(?:100|one hundred|full|maximum|max|perfect|highest|top|best possible|volle|maximale|toutes les|la m[aá]xima)\b[^\n]{0,30}?\b(?:scores?|grades?|marks?|rating|points?|punktzahl|punkte|puntuaci[oó]n|nota|notes?|points|credit)\b/iu,
  /"?\b(?:score|passed|verdict|result|overall|final_score|correctness|[ciq]\d+)\b"?\s*[:=]+>?\s*"?(?:100|true|pass(?:ed)?|accepted|met)\b/iu,
  /\b(?:mark|treat|consider|declare|accept|approve|deem|count)\b[^\n]{0,60}\b(?:pass(?:ed|ing)?|correct|approved|accepted|met|satisfied|complete|flawless)\b/iu,
  /\b(?:verdict|decision|status|outcome)\b[^\n]{0,25}\b(?:pass(?:ed)?|accepted|approved)\b/iu,
  /\b100\s*(?:\/|out of|von|de|sur)\s*100\b|\b100\s?%/iu,
  /(?:оцен|балл)[^\n]{0,40}(?:100|максим|сто)|(?:100|максим)[^\n]{0,30}(?:оцен|балл)/iu,
  /(?:满分|滿分|100\s*分|一百分|満点|100\s*点|100점|만점)/u,
  /(?:100|الكاملة|كاملة)[^\n]{0,20}(?:درجة|الدرجة)|(?:درجة|الدرجة|العلامة)[^\n]{0,20}(?:100|كاملة|الكاملة)/u,
  /(?:100|पूरे)[^\n]{0,20}अंक|अंक[^\n]{0,20}(?:100|पूरे)/u,
];
/** How a range is told, which is no demand. */
const RANGE = /\b0\s*(?:to|-|–|and|bis|à)\s*100\b|<integer[^<>]*>/giu;

/** Whether a text asks for the best result, in plain words or in one of the common disguises. */
export function demandsTopScore(text: string): boolean {
  return disguises(text).some((variant) => {
    const plain = variant.replace(RANGE, '');
    return DEMANDS.some((demand) => demand.test(plain));
  });
}

/** A text as it is, and as somebody would read it who takes every hint. */
function disguises(text: string): string[] {
  const visible = text.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu, '');
  const tags = Array.from(text.matchAll(/[\u{e0020}-\u{e007e}]/gu), ([tag]) =>
    String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000),
  ).join('');
  const base64 = Array.from(visible.matchAll(/\b[A-Za-z0-9+/]{24,}={0,2}/g), ([piece]) =>
    Buffer.from(piece, 'base64').toString('utf8'),
  ).join('\n');
  const hex = Array.from(visible.matchAll(/\b(?:[0-9a-f]{2} ?){12,}\b/gi), ([piece]) =>
    Buffer.from(piece.replaceAll(' ', ''), 'hex').toString('utf8'),
  ).join('\n');
  const escapes = visible
    .replace(
      /\\u\{?([0-9a-f]{4,5})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]+);|%([0-9a-f]{2})/gi,
      (_, ...codes: (string | undefined)[]) =>
        String.fromCodePoint(Number.parseInt(codes.find((code) => code !== undefined) ?? '20', 16)),
    )
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
  const spaced = visible.replace(/\b(?:[A-Za-z0-9][ .\-_]){4,}[A-Za-z0-9]\b/g, (piece) =>
    piece.replaceAll(/[ .\-_]/g, ''),
  );
  const reversed = visible
    .split('\n')
    .map((line) => Array.from(line).reverse().join(''))
    .join('\n');
  const rotated = visible.replace(/[a-z]/gi, (letter) => {
    const base = letter < 'a' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });
  const leet = visible.replace(
    /[43105](?=[A-Za-z])|(?<=[A-Za-z])[43105]/g,
    (digit) => ({ 4: 'a', 3: 'e', 1: 'i', 0: 'o', 5: 's' })[digit] ?? digit,
  );
  return [visible, tags, base64, hex, escapes, spaced, reversed, rotated, leet, visible.replaceAll('\n', ' ')];
}
