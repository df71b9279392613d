import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AssayError, ERRORS, type ErrorCode, ItemFailure } from '@assay/protocol';
import { decide, describeFailure, settle, settleEach, throwIfNothingDone } from './failure-policy.ts';

const broken = (): AssayError => new AssayError('SANDBOX_GONE', { id: 'x' });
const systemError = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'open' });
const CODES = Object.keys(ERRORS).filter((code): code is ErrorCode => code in ERRORS);

describe('the policy for failures', () => {
  it('says what every error of the catalogue does, at every place', () => {
    for (const code of CODES) {
      const error = new AssayError(code);
      for (const place of ['setup', 'item', 'agent', 'verify'] as const) {
        const { retries, outcome } = decide(error, place);
        assert.equal(retries > 0, error.kind === 'infrastructure', `${code} at ${place}`);
        if (place === 'setup') assert.equal(outcome, 'end');
        if (outcome === 'failed') assert.equal(error.kind, 'agent');
      }
    }
  });

  it('quarantines what is about one item, and ends what every item would meet', () => {
    assert.equal(decide(new AssayError('TASK_ALTERED'), 'item').outcome, 'quarantined');
    assert.equal(decide(new AssayError('ENVIRONMENT_FAILED'), 'item').outcome, 'quarantined');
    assert.equal(decide(new AssayError('INTERPRETER_MISSING'), 'item').outcome, 'excluded');
    assert.equal(decide(new AssayError('DISK_FULL'), 'item').outcome, 'end');
    assert.equal(decide(systemError('ENOSPC'), 'item').outcome, 'end');
    assert.equal(decide(new AssayError('INTERRUPTED'), 'verify').outcome, 'end');
    assert.equal(decide(new AssayError('BAD_OPTION'), 'item').outcome, 'end');
    assert.equal(decide(new TypeError('x is undefined'), 'item').outcome, 'excluded');
  });

  it('does not ask again for what is too long for a model, and fails a submission that was', () => {
    const overflow = new AssayError('MODEL_OVERFLOW', { endpoint: 'e', detail: 'status 400' });
    assert.deepEqual(decide(overflow, 'verify'), { retries: 0, outcome: 'failed' });
    assert.deepEqual(decide(overflow, 'agent'), { retries: 0, outcome: 'failed' });
    assert.deepEqual(decide(overflow, 'item'), { retries: 0, outcome: 'excluded' });
  });

  it('tells the kind of what the system and a bug throw', () => {
    assert.equal(describeFailure(systemError('EMFILE')).kind, 'infrastructure');
    assert.equal(describeFailure(systemError('EROFS')).kind, 'machine');
    assert.deepEqual(describeFailure(new TypeError('no')), { kind: 'bug', code: 'UNEXPECTED', message: 'no' });
  });
});

describe('settle', () => {
  it('tries again after a hiccup, and tells it', async () => {
    const told: number[] = [];
    const settled = await settle(
      { place: 'verify', item: 'a', onRetry: ({ tries }) => told.push(tries) },
      async (attempt) => {
        if (attempt < 3) throw broken();
        return attempt;
      },
    );
    assert.deepEqual(settled, { value: 3 });
    assert.deepEqual(told, [1, 2]);
  });

  it('excludes what fails every time', async () => {
    const settled = await settle({ place: 'item', item: 'a' }, async () => {
      throw broken();
    });
    assert.ok('failure' in settled);
    const { outcome, code, tries } = ItemFailure.parse(settled.failure);
    assert.deepEqual({ outcome, code, tries }, { outcome: 'excluded', code: 'SANDBOX_GONE', tries: 3 });
  });

  it('throws the reason of an abort, whatever the work threw', async () => {
    const controller = new AbortController();
    await assert.rejects(
      settle({ place: 'item', item: 'a', signal: controller.signal }, async () => {
        controller.abort(new AssayError('INTERRUPTED'));
        throw broken();
      }),
      { code: 'INTERRUPTED' },
    );
  });
});

describe('settleEach', () => {
  it('lets no item end the others', async () => {
    const done: string[] = [];
    const ended = await settleEach(['a', 'b', 'c'], { parallel: 1, name: (item) => item }, async (item) => {
      if (item === 'b') throw new AssayError('TASK_ALTERED', { path: item });
      done.push(item);
    });
    assert.deepEqual(done, ['a', 'c']);
    assert.equal(ended.done, 2);
    assert.deepEqual(
      ended.failures.map(({ item, outcome }) => [item, outcome]),
      [['b', 'quarantined']],
    );
    throwIfNothingDone(ended);
  });

  it('ends with what the first threw when nothing came to an answer', async () => {
    const ended = await settleEach(['a'], { parallel: 1, name: (item) => item }, async () => {
      throw new AssayError('TASK_ALTERED', { path: 'a' });
    });
    assert.throws(() => throwIfNothingDone(ended), { code: 'TASK_ALTERED' });
  });

  it('ends the job with what is no matter of one item', async () => {
    const done: string[] = [];
    await assert.rejects(
      settleEach(['a', 'b'], { parallel: 1, name: (item) => item }, async (item) => {
        done.push(item);
        throw new AssayError('DISK_FULL', { path: item });
      }),
      { code: 'DISK_FULL' },
    );
    assert.deepEqual(done, ['a']);
  });
});
