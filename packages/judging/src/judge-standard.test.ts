import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { chooseProvider, registerProvider } from '@assay/sandbox';
import { judgeByStandard, judgeEachByStandard } from './judge-standard.ts';

let home = '';
let standard = '';
const submissions: string[] = [];
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-judge-each-'));
  standard = join(home, 'standard.json');
  const cases = [{ input: [1], expected: 2 }];
  await writeFile(standard, JSON.stringify({ type: 'test_cases', language: 'python', functionName: 'double', cases }));
  for (const name of ['one.py', 'two.py']) {
    submissions.push(join(home, name));
    await writeFile(join(home, name), 'def double(x):\n    return 2 * x\n');
  }
});
after(() => rm(home, { recursive: true, force: true }));

let providers = 0;
/** The name of a new provider whose n-th sandbox, from 1, is not to be had where `fails` throws. */
async function failing(fails: (made: number) => void): Promise<string> {
  const provider = await chooseProvider('bubblewrap');
  const name = `failing-judge-${(providers += 1)}`;
  let made = 0;
  registerProvider({
    ...provider,
    name,
    isolation: provider.isolation ?? 'namespace',
    create: async (options) => {
      fails((made += 1));
      return provider.create(options);
    },
    destroy: (id) => provider.destroy(id),
  });
  return name;
}
const hiccupUntil = (last: number) => (made: number) => {
  if (made <= last) throw new AssayError('SANDBOX_START_FAILED', { provider: 'x', detail: 'for a moment' });
};

describe('judging by the policy for failures', () => {
  test('a sandbox that fails for a moment is tried again', async () => {
    const provider = await failing(hiccupUntil(1));
    const { judgement } = await judgeByStandard({ standard, submission: submissions[0] ?? '', provider });
    assert.equal(judgement.outcome, 'pass');
  });

  test('one submission without a sandbox is invalid, and the others are judged', async () => {
    const judged = await judgeEachByStandard(submissions, { standard, provider: await failing(hiccupUntil(3)) });
    assert.deepEqual(
      judged.map((each) => ('judgement' in each ? each.judgement.outcome : each.failure)),
      ['invalid', 'pass'],
    );
  });

  test('a bug at one submission does not end the others either', async () => {
    const provider = await failing((made) => {
      if (made === 1) throw new TypeError('unforeseen');
    });
    const judged = await judgeEachByStandard(submissions, { standard, provider });
    assert.deepEqual(
      judged.map((each) => ('judgement' in each ? each.judgement.outcome : each.failure.kind)),
      ['bug', 'pass'],
    );
  });

  test('an option that no submission can do with ends it at once', async () => {
    await assert.rejects(judgeEachByStandard(submissions, { standard, provider: 'no-such-provider' }), {
      kind: 'user',
    });
  });
});
