/** Of the release that this checkout leads to; package.json says the same, as a test checks. */
export const version = '0.1.0';
