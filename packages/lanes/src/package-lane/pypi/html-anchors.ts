export interface HtmlAnchor {
  /** By lower-case name, entities decoded. */
  attributes: Map<string, string>;
  /** Text between the tags, decoded and trimmed. */
  label: string;
}

/**
 * The anchors of a page in order, and the address in its first `<base>`. Takes time in proportion to the page, whatever
 * is on it.
 */
export function readAnchors(html: string): { base: string | null; anchors: HtmlAnchor[] } {
  const anchors: HtmlAnchor[] = [];
  const opening = /<a\s/gi;
  const closing = /<\/a\s*>/gi;
  for (let found = opening.exec(html); found; found = opening.exec(html)) {
    const end = tagEnd(html, opening.lastIndex);
    closing.lastIndex = end;
    const close = end === -1 ? null : closing.exec(html);
    // A tag or an anchor that never ends: nothing after it can be one either.
    if (!close) break;
    anchors.push({
      attributes: parseAttributes(html.slice(opening.lastIndex, end)),
      label: decodeEntities(html.slice(end + 1, close.index)).trim(),
    });
    opening.lastIndex = closing.lastIndex;
  }
  return { base: readBase(html), anchors };
}

function readBase(html: string): string | null {
  const opening = /<base\s/gi;
  if (!opening.test(html)) return null;
  const end = tagEnd(html, opening.lastIndex);
  return end === -1 ? null : (parseAttributes(html.slice(opening.lastIndex, end)).get('href') ?? null);
}

/** Finds the tag's `>`, skipping those within quotes, as in `data-requires-python=">=3.8"`. -1 without one. */
function tagEnd(html: string, start: number): number {
  let quote = '';
  for (let index = start; index < html.length; index += 1) {
    const character = html[index] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') return index;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}

function parseAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(
    /([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    attributes.set(name.toLowerCase(), decodeEntities(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,32}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
