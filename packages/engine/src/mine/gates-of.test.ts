import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import { pythonEcosystem } from '../ecosystems/python/python-ecosystem.ts';
import { scrubInstruction } from '../harden/scrub-instruction.ts';
import { changeWords, testNames } from './gates-of.ts';

const hiddenOf = (path: string, text: string) => ({
  files: [{ path, content: Buffer.from(text), executable: false }],
  deleted: [],
});

const CASES: Record<string, { ecosystem: Ecosystem; path: string; text: string; names: string[] }> = {
  'node:test': {
    ecosystem: nodeEcosystem,
    path: 'test/reader.test.js',
    text: `import { describe, it, test } from 'node:test';
describe('a reader of broken headers', () => {
  it('keeps the trailing comment of a line', { timeout: 5 }, () => {});
  test.skip("does not " + 'lose its place after an error', async (t) => {
    await t.test('and goes on with the next block', () => {});
    /x/.test('is this a title of a test');
  });
});`,
    names: [
      'a reader of broken headers',
      'keeps the trailing comment of a line',
      'does not lose its place after an error',
      'and goes on with the next block',
    ],
  },
  vitest: {
    ecosystem: nodeEcosystem,
    path: 'src/reader.spec.ts',
    text: `describe.concurrent('reading in parallel', () => {
  it.each<[string, number]>([['an empty line at the end', 1], ['two', 2]])('accepts %s without a warning (%i)', () => {});
  test.each\`a | b\n\${'first'} | \${2}\`('adds $a to the other value', () => {});
  it.skipIf(process.env.CI)(\`waits for \${name} to come back again\`, () => {});
  test.for([{ name: 'a table with one row only' }])('$name', () => {});
});`,
    names: [
      'reading in parallel',
      'accepts an empty line at the end without a warning (%i)',
      'without a warning (',
      'adds first to the other value',
      'to come back again',
      'a table with one row only',
    ],
  },
  jest: {
    ecosystem: nodeEcosystem,
    path: 'reader.test.tsx',
    text: "fit('focuses on one thing at a time', () => {});\nxdescribe(`a suite that is off for now`, () => {});\n",
    names: ['focuses on one thing at a time', 'a suite that is off for now'],
  },
  mocha: {
    ecosystem: nodeEcosystem,
    path: 'test/reader.cjs',
    text: "suite('the old way of writing', function () {});\ncontext('when the file is gone', () => { specify('it says so at once', done => done()); });\n",
    names: ['the old way of writing', 'when the file is gone', 'it says so at once'],
  },
  pytest: {
    ecosystem: pythonEcosystem,
    path: 'tests/test_reader.py',
    text: 'class TestBrokenHeaders:\n    async def test_keeps_comment(self): ...\ndef test_goes_on(): ...\n',
    names: ['TestBrokenHeaders', 'test_keeps_comment', 'test_goes_on'],
  },
};

describe('names of hidden tests', () => {
  for (const [runner, { ecosystem, path, text, names }] of Object.entries(CASES)) {
    test(`${runner}: titles are found, and struck out of the message`, () => {
      const found = testNames({ hidden: hiddenOf(path, text), ecosystem });
      assert.ok(found.includes(path));
      for (const name of names) assert.ok(found.includes(name), `${name} in ${found.join('\n')}`);
      assert.ok(!found.includes('is this a title of a test'));
      const long = names.filter((name) => /_|[a-z][A-Z]/.test(name) || name.split(' ').length >= 4);
      const message = `Reading stops at the first broken header\n\nSee ${long.map((name) => `"${name}"`).join(' and ')} for it.`;
      const { title, body } = scrubInstruction(message, { projectNames: [], knownTestNames: found, goldLines: [] });
      for (const name of long) assert.ok(!`${title}\n${body}`.includes(name), `${name} in ${body}`);
    });
  }

  test('files that hold no code of the ecosystem give their path alone', () => {
    const hidden = hiddenOf('test/data.json', '{"it": "it(\'is data and no title at all\')"}');
    assert.deepEqual(testNames({ hidden, ecosystem: nodeEcosystem }), ['test/data.json']);
  });
});

test('what indented lines of a change assign are its variables', async () => {
  const referenceDiff = [
    '--- a/src/route.js',
    '+++ b/src/route.js',
    '-    isSafe = false',
    '+    isSafe = true',
    '+  const found = routes.find(strict, nested={})',
    '+DEFAULT = 1',
    '+  this.mode = 2',
    '   kept = 3',
  ].join('\n');
  const candidate = { referenceDiff, hidden: hiddenOf('test/a.js', 'find()') };
  const { variables } = await changeWords(candidate, { t0Directory: '' }, []);
  assert.deepEqual([...variables].sort(), ['found', 'isSafe']);
});
