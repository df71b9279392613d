const WORD = String.raw`(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)`;
const ONE = String.raw`(?:(?:(?:[\w.-]+\/)+[\w.-]+)?#\d{1,9}\b|gh-\d{1,9}\b|https?:\/\/[^\s<>()\]"']+\/issues\/\d{1,9}\b|\[#\d{1,9}\]\([^\s()]*\))`;
/** A list that may be of several: `Closes #1, #2 and #3`. */
const CLOSING = new RegExp(
  String.raw`\b${WORD}\b\s*:?\s+(?:issues?\s+)?(${ONE}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)${ONE})*)`,
  'gi',
);
const EACH = /(?:((?:[\w.-]+\/)+[\w.-]+)?#|gh-|https?:\/\/([^\s<>()\]"']+?)(?:\/-)?\/issues\/)(\d{1,9})\b/gi;

/**
 * Lists the numbers of the issues that a text says to close, as code hosts read it: by number, by the name of the
 * repository, or by address. `own` is that repository (`owner/name` or `host/owner/name`); issues of another are none of
 * them. Without it, only numbers count.
 */
export function closedBy(text: string, own: string | null): number[] {
  const known = own?.toLowerCase() ?? '';
  const isOwn = (name: string): boolean => {
    const named = name.toLowerCase();
    return known !== '' && (known === named || known.endsWith(`/${named}`) || named.endsWith(`/${known}`));
  };
  const found = new Set<number>();
  for (const [, list = ''] of text
    .slice(0, MAX_TEXT)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .matchAll(CLOSING))
    for (const [, repository, address, number] of list.matchAll(EACH)) {
      const named = repository ?? address;
      if (named === undefined || isOwn(named)) found.add(Number(number));
    }
  return [...found];
}

const MAX_TEXT = 100_000;
