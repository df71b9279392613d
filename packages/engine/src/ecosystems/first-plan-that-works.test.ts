import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { BUILD_MINUTES } from './build-box.ts';
import { firstPlanThatWorks, type PlanOptions } from './first-plan-that-works.ts';

type Ends = Record<string, ErrorCode | 'built'>;

describe('plans for an environment', () => {
  const run = async (ends: Ends, options: Partial<PlanOptions<string, string>> = {}) => {
    const tried: string[] = [];
    const lines: string[] = [];
    const end = await firstPlanThatWorks({
      plans: Object.keys(ends),
      build: async (plan) => {
        tried.push(plan);
        const code = ends[plan] ?? 'built';
        if (code !== 'built') throw new AssayError(code, { detail: plan, step: plan, minutes: 10, lane: 'package' });
        return `${plan}-built`;
      },
      nameOf: (plan) => plan,
      log: (line) => lines.push(line),
      ...options,
    }).catch((error: unknown) => error);
    return { tried, lines, end };
  };
  const codeOf = (end: unknown): string => (AssayError.is(end) ? `${end.code} ${String(end.details['detail'])}` : '');

  test('the first that builds', async () => {
    const { tried, end, lines } = await run({ a: 'ENVIRONMENT_FAILED', b: 'built', c: 'built' });
    assert.deepEqual(tried, ['a', 'b']);
    assert.deepEqual(end, { plan: 'b', built: 'b-built' });
    assert.match(lines.join('\n'), /^a: [^\n]+$/);
  });

  test('when none does, the first failure', async () => {
    const { tried, end } = await run({ a: 'ENVIRONMENT_FAILED', b: 'ENVIRONMENT_FAILED' });
    assert.deepEqual([tried, codeOf(end)], [['a', 'b'], 'ENVIRONMENT_FAILED a']);
  });

  test('what no other plan would mend ends the search', async () => {
    const { tried, end } = await run({ a: 'LANE_FAILED', b: 'built' });
    assert.deepEqual([tried, codeOf(end)], [['a'], 'LANE_FAILED a']);
    const bug = await run({}, { plans: ['a', 'b'], build: () => Promise.reject(new TypeError('x')) });
    assert.ok(bug.end instanceof TypeError);
  });

  test('after a time-out the next one, while the budget has room for it', async () => {
    const { tried, end } = await run({ a: 'BUILD_TIMED_OUT', b: 'built' });
    assert.deepEqual([tried, end], [['a', 'b'], { plan: 'b', built: 'b-built' }]);
    const spent = await run({ a: 'BUILD_TIMED_OUT', b: 'built' }, { minutes: BUILD_MINUTES - 1 });
    assert.deepEqual([spent.tried, codeOf(spent.end)], [['a'], 'BUILD_TIMED_OUT a']);
    const untouched = await run({ a: 'ENVIRONMENT_FAILED', b: 'built' }, { minutes: BUILD_MINUTES - 1 });
    assert.deepEqual(untouched.tried, ['a', 'b']);
  });

  test('a time-out is never hidden by a failure, which would be remembered', async () => {
    for (const ends of [
      { a: 'ENVIRONMENT_FAILED', b: 'BUILD_TIMED_OUT', c: 'ENVIRONMENT_FAILED' },
      { b: 'BUILD_TIMED_OUT', c: 'ENVIRONMENT_FAILED' },
    ] as Ends[]) {
      const { tried, end } = await run(ends);
      assert.deepEqual([tried, codeOf(end)], [Object.keys(ends), 'BUILD_TIMED_OUT b']);
    }
  });
});
