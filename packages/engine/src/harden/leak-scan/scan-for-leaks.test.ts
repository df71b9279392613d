import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { ChangeSet } from '@assay/files/change-set';
import { PLACES } from './leak-places.fixture.ts';
import { leakNeedles, scanForLeaks, scanRoots } from './scan-for-leaks.ts';
import { scanToolchain } from './scan-toolchain.ts';

const scratch = mkdtempSync(join(tmpdir(), 'assay-leaks-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => {
  const directory = join(scratch, String((count += 1)));
  mkdirSync(directory);
  return directory;
};

const CODE = [
  '    if window.remaining < 0 and quota["burst"] & MASK:',
  "        raise QuotaExceeded('caller %r\\n' % caller)",
  '    refill = window.capacity * elapsed',
];
const MESSAGES = [
  'the quota of the burst window is used up',
  'remaining requests are refused until noon',
  'the caller is told when to come back',
];
/** Two of three lines, and every word of the third. */
const NEAR_CODE = [CODE[0], CODE[1], '    refill = elapsed * window.capacity'];
const NEAR_MESSAGES = [MESSAGES[0], MESSAGES[1], 'the caller is told when to go'];

const file = (path: string, text: string): ChangeSet => ({
  files: [{ path, content: Buffer.from(text), executable: false }],
  deleted: [],
});
const t0 = fresh();
writeFileSync(join(t0, 'limit.py'), 'def admit(window, quota, caller):\n    return True\n');
const needles = [
  ...(await leakNeedles(
    file('limit.py', `def admit(window, quota, caller):\n${CODE.join('\n')}\n    return True\n`),
    t0,
    'reference',
  )),
  ...(await leakNeedles(
    file('test_limit.py', `MESSAGES = [\n${MESSAGES.map((message) => `    "${message}",\n`).join('')}]\n`),
    t0,
    'test',
  )),
];

const cache = fresh();

describe('a leak is found wherever it is, and nothing where it is not', { concurrency: 2 }, () => {
  assert.ok(Object.keys(PLACES).length >= 50);
  for (const [name, place] of Object.entries(PLACES)) {
    test(name, async () => {
      const leaky = fresh();
      place(leaky, { code: CODE.join('\n'), messages: MESSAGES });
      const leaks = await scanForLeaks(needles, [{ label: 'box', directory: leaky }]);
      assert.notEqual(leaks.length, 0, 'the leak was not found');
      assert.ok(leaks.every(({ where }) => where.startsWith('box/')));

      // The index of a toolchain must not rule out what is there.
      const again = await scanToolchain(needles, cache, { roots: [{ label: 'box', directory: leaky }], masked: [] });
      assert.deepEqual(again, leaks, 'the index ruled it out');

      const clean = fresh();
      place(clean, { code: NEAR_CODE.join('\n'), messages: NEAR_MESSAGES.map(String) });
      const report = await scanRoots(needles, [{ label: 'box', directory: clean }]);
      assert.deepEqual(report.leaks, [], 'something else was taken for the leak');
      rmSync(leaky, { recursive: true });
      rmSync(clean, { recursive: true });
    });
  }
});
