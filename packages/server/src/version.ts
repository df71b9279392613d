/** Version of the release that this checkout leads to. A test checks that package.json has the same. */
export const version = '0.1.0';
