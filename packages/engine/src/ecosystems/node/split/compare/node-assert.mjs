import assert from 'node:assert';

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
  // With a message of its own it makes no difference of what may be large.
  return holds(() => (method === 'ifError' ? assert.ifError(operands[0]) : assert[method](...operands, 'no')));
}

function holds(run) {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
}
