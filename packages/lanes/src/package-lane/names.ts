/** Returns the normalised name of a Python project (PEP 503). */
export const normalizePythonName = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

const PYTHON_NAME = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i;
const NPM_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;
const FILE_NAME = /^[\w][\w.+!~-]*$/;

export const isPythonName = (name: string): boolean => name.length <= 200 && PYTHON_NAME.test(name);
export const isNpmName = (name: string): boolean => name.length <= 214 && NPM_NAME.test(name);
/** Returns whether a name is a single path component, without characters that are special in paths or addresses. */
export const isFileName = (name: string): boolean => name.length <= 250 && FILE_NAME.test(name) && !name.includes('..');
