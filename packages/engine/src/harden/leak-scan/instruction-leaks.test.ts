import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidateNeedles, type LeakNeedle } from './needle.ts';
import { instructionLeaks } from './instruction-leaks.ts';

const SETUP = [
  'const router = makeRouter({ strict: true })',
  "router.on('GET', '/static/:file', serve)",
  "router.on('GET', '/static/:file/raw', raw)",
];
const ASSERTED = [
  "const found = router.find('GET', '/static/a.txt/raw')",
  'assert.equal(found.handler, raw)',
  "assert.deepEqual(found.params, { file: 'a.txt' })",
];
const FIX = [
  '  if (node.kind === STATIC) return node.children.get(part)',
  '  const found = node.match(part)',
  '  return found ?? node.wildcard?.match(part)',
];

const needles = (kind: 'reference' | 'test', lines: string[]): LeakNeedle[] =>
  candidateNeedles(
    { files: [{ path: 'a.js', content: Buffer.from(lines.join('\n')), executable: false }], deleted: [] },
    () => null,
    kind,
  );

test('what an instruction tells of hidden tests by choice is no leak in it; other lines of them, and of the fix, are', async () => {
  const all = { reference: needles('reference', FIX), tests: needles('test', [...SETUP, '', ...ASSERTED]) };
  const block = (lines: string[]): string => `After this:\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n\nit fails.`;
  const leaks = async (instruction: string, told: string[]): Promise<string[]> =>
    (await instructionLeaks(all, { instruction: `# Title\n\n- ${instruction.replaceAll('\n', '\n  ')}\n`, told })).map(
      ({ origin }) => origin,
    );
  assert.deepEqual(await leaks(block(SETUP), [block(SETUP)]), []);
  assert.deepEqual(
    await leaks(`After \`${SETUP.join('; ')}\`, it fails.`, [`After \`${SETUP.join('; ')}\`, it fails.`]),
    [],
  );
  assert.deepEqual(await leaks(block(SETUP), []), ['test:a.js']);
  assert.deepEqual(await leaks(block(ASSERTED), [block(SETUP)]), ['test:a.js']);
  assert.deepEqual(await leaks(block(FIX), [block(FIX)]), ['reference:a.js']);
});
