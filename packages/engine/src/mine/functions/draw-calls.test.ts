import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LiteralValue, RecordedCall } from '../../ecosystems/function-facet.ts';
import { pythonFunctions } from '../../ecosystems/python/functions/python-functions.ts';
import { drawCalls } from './draw-calls.ts';

const [found] = pythonFunctions.list('a.py', 'def f(text, count: int = 3):\n    return text\n');
const [typed] = pythonFunctions.list('a.py', 'def f(text: str, count: int):\n    return text\n');
const [unknown] = pythonFunctions.list('a.py', 'def f(thing, count: int):\n    return thing\n');
const call = (...positional: LiteralValue[]): RecordedCall => ({ positional, named: [] });
const text = (value: string): LiteralValue => ({ kind: 'str', text: value });
const seen = [call(text('a b'), { kind: 'int', text: '2' }), call(text('ä😀'), { kind: 'int', text: '5' })];

describe('drawn calls', () => {
  const draw = (own: typeof found, more: Partial<Parameters<typeof drawCalls>[0]> = {}): string[] => {
    assert.ok(own);
    const request = { found: own, facet: pythonFunctions, seen: [], proposed: [], seed: 'x', most: 60, ...more };
    return drawCalls(request).map((each) => pythonFunctions.renderCall(own, each));
  };

  test('are others than those of the suite, each once, and the same ones for the same seed', () => {
    const drawn = draw(found, { seen });
    assert.equal(drawn.length, 60);
    assert.equal(new Set(drawn).size, 60);
    assert.ok(!drawn.includes("f('a b', 2)"));
    assert.deepEqual(draw(found, { seen }), drawn);
    assert.notDeepEqual(draw(found, { seen, seed: 'y' }), drawn);
    assert.ok(
      drawn.every((each) => /^f\(['"].*['"], -?\d+\)$/.test(each)),
      drawn.join('\n'),
    );
  });

  test('keep characters whole', () => {
    assert.ok(draw(found, { seen, most: 200 }).every((each) => each.isWellFormed()));
  });

  test('come of types where the suite makes no call, and are none where types say nothing', () => {
    assert.equal(draw(typed).length, 60);
    assert.deepEqual(draw(unknown), []);
  });

  test('begin with those that were proposed', () => {
    const proposed = [call(text('proposed'))];
    assert.equal(draw(found, { seen, proposed })[0], "f('proposed')");
    assert.ok(draw(unknown, { proposed }).length > 20);
  });
});
