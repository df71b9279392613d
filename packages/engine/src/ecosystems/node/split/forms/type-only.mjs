import { isCall } from '../syntax.mjs';

/** `expectTypeOf(…)` and its like, which do nothing when they run. */
export function isTypeOnly(node) {
  return (
    isCall(node) && node.callee.type === 'Identifier' && /^(expectTypeOf|assertType|expectType)$/.test(node.callee.name)
  );
}
