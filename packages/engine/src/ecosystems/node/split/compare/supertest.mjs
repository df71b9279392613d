import { isDeepStrictEqual } from 'node:util';

/** What supertest says of `.expect(...args)` on a response. */
export function compareResponse([status, headers, text, body], args) {
  const [first, second] = args;
  if (Array.isArray(first) && first.length > 0 && first.every((each) => typeof each === 'number'))
    return first.includes(status);
  if (typeof first === 'number') return status === first && (args.length < 2 || isBody(second, text, body));
  if (typeof second === 'string' || typeof second === 'number' || second instanceof RegExp)
    return isHeader(headers, String(first), second);
  return isBody(first, text, body);
}

function isBody(expected, text, body) {
  if (expected instanceof RegExp) return expected.test(text);
  return typeof expected === 'object' ? isDeepStrictEqual(body, expected) : text === expected;
}

function isHeader(headers, name, expected) {
  const key = name.toLowerCase();
  const actual = Object.hasOwn(headers, key) ? headers[key] : undefined;
  if (actual === undefined) return false;
  if (actual === expected || (Array.isArray(actual) && actual.toString() === expected)) return true;
  if (expected instanceof RegExp) return expected.test(actual);
  return typeof expected === 'number' && Number.parseInt(actual, 10) === expected;
}
