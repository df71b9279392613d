/** Line feed and tab stay; every other control, format and direction character of foreign text is shown as its code point. */
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Foreign text as it may be printed: nothing in it moves the cursor, writes the clipboard, hides or reorders what a person sees. */
export function harmlessText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HARMFUL, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 ? `^${String.fromCharCode(code + 64)}` : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}
