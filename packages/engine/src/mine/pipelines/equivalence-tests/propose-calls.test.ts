import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pythonFunctions } from '../../../ecosystems/python/functions/python-functions.ts';
import { proposeCalls } from './propose-calls.ts';

const [found] = pythonFunctions.list('a.py', 'def f(text, count=3):\n    return text\n');

describe('calls that a model proposes', () => {
  const propose = async (answer: string): Promise<string[]> => {
    assert.ok(found);
    const model = {
      complete: async () => ({ text: answer, stop: 'end' as const, usage: { inputTokens: 1, outputTokens: 1 } }),
    };
    const calls = await proposeCalls({ found, facet: pythonFunctions, seen: [], code: '' }, { model });
    return calls.map((call) => pythonFunctions.renderCall(found, call));
  };

  test('are arguments as JSON, whatever the language', async () => {
    const told = '```json\n[["a", 1], [{"k": [1.5, null, true]}], []]\n```';
    assert.deepEqual(await propose(told), ["f('a', 1)", "f({'k': [1.5, None, True]})", 'f()']);
  });

  test('are none where the answer is no list of arguments', async () => {
    for (const answer of ['I cannot do that.', '```json\n{"a": 1}\n```', '```\n[1, 2]\n```', '```\n[["a"\n```'])
      assert.deepEqual(await propose(answer), [], answer);
  });

  test('are none without a model', async () => {
    assert.ok(found);
    assert.deepEqual(await proposeCalls({ found, facet: pythonFunctions, seen: [], code: '' }, { model: null }), []);
  });
});
