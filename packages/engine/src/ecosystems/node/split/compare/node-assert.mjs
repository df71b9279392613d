import assert from 'node:assert';
import { isDeepStrictEqual } from 'node:util';

const KINDS = { throws: 'thrown', rejects: 'rejected', doesNotThrow: 'none', doesNotReject: 'resolved' };

/** What node says of `assert.method(...operands)`; the first operand of `throws` and `rejects` is what was thrown. */
export function compareNodeAssert(method, kind, operands) {
  const wanted = KINDS[method];
  if (wanted !== undefined) {
    if (kind !== wanted) return false;
    const [thrown, expected] = operands;
    if (expected === undefined || typeof expected === 'string') return true;
    return holds(() => {
      assert.throws(() => {
        throw thrown;
      }, expected);
    });
  }
  return CHECKS[method](...operands);
}

/** Without what makes a difference to be read, of values that may be large. */
const CHECKS = {
  ok: Boolean,
  // eslint-disable-next-line eqeqeq -- as node does it
  equal: (one, other) => one == other || (Number.isNaN(one) && Number.isNaN(other)),
  notEqual: (...both) => !CHECKS.equal(...both),
  strictEqual: Object.is,
  notStrictEqual: (one, other) => !Object.is(one, other),
  deepStrictEqual: isDeepStrictEqual,
  notDeepStrictEqual: (one, other) => !isDeepStrictEqual(one, other),
  deepEqual: (one, other) => isDeepStrictEqual(one, other) || holds(() => assert.deepEqual(one, other, 'no')),
  notDeepEqual: (one, other) => holds(() => assert.notDeepEqual(one, other, 'no')),
  partialDeepStrictEqual: (one, other) => holds(() => assert.partialDeepStrictEqual(one, other, 'no')),
  match: (text, pattern) => typeof text === 'string' && pattern.exec(text) !== null,
  doesNotMatch: (text, pattern) => typeof text === 'string' && pattern.exec(text) === null,
  ifError: (value) => value === null || value === undefined,
};

function holds(run) {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
}
