/** Quotes a text for `sh`. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
