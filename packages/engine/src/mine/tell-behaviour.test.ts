import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Behaviour } from '../verify/split/observe-behaviour.ts';
import { observeBehaviour } from '../verify/split/observe-behaviour.ts';
import { build } from './2-build.ts';
import { MineFixture, NEW_TESTS } from './mine.fixture.ts';
import { sentenceOf, tellBehaviour } from './tell-behaviour.ts';

const behaviour = (number: number, more: Partial<Behaviour> = {}): Behaviour => ({
  probe: `t.py#${number}`,
  test: `t.py::test_${number}`,
  site: number,
  kind: 'equals',
  expression: `f(${number})`,
  inputs: `f(${number})`,
  expected: '1',
  before: { does: 'returns', text: '0', message: null },
  ...more,
});
const many = (count: number): Behaviour[] => Array.from({ length: count }, (_, number) => behaviour(number));
const telling = (behaviours: Behaviour[], more: object = {}) =>
  tellBehaviour({
    behaviours,
    failToPass: behaviours.map((each) => each.test),
    seed: 'x',
    verb: 'raise',
    isClean: () => true,
    ...more,
  });

describe('telling behaviour', () => {
  test('a third of it at most, three sentences at most, and never all', () => {
    const counts = [1, 2, 3, 5, 6, 9, 50].map((count) => telling(many(count)));
    assert.deepEqual(
      counts.map((told) => told?.tells === 'expectations' && [told.sentences.length, told.heldBack]),
      [false, [1, 1], [1, 2], [1, 4], [2, 4], [3, 6], [3, 47]],
    );
  });

  test('what asks the same code about the same values is one observation, however often tests ask', () => {
    const same = Array.from({ length: 9 }, (_, number) =>
      behaviour(number, { inputs: 'f("a")', expression: `f("a")[${number}]` }),
    );
    assert.equal(telling(same)?.tells, 'symptoms');
    const told = telling([...same, behaviour(20)], { failToPass: ['a', 'b', 'c', 'd', 'e', 'f'] });
    assert.deepEqual([told?.sentences.length, told?.heldBack], [1, 1]);
  });

  test('where nothing could be held back, what happens today is told, and nothing of what is expected', () => {
    const raises = { does: 'raises', text: 'KeyError', message: 'x' } as const;
    const one = behaviour(1, { expected: '4711' });
    const told = telling([one, behaviour(2, { expected: 'None', before: raises })]);
    assert.deepEqual([told?.tells, told?.sentences.length, told?.heldBack], ['symptoms', 1, 2]);
    assert.doesNotMatch(told?.sentences.join() ?? '', /4711/);
    assert.deepEqual(telling([behaviour(2, { before: raises })])?.sentences, ['`f(2)` raises `KeyError` (x).']);
    assert.deepEqual(telling([behaviour(1)])?.sentences, ['`f(1)` returns `0`, and should not.']);
    const absent = { ...raises, does: 'absent' } as const;
    for (const before of [absent, null]) assert.equal(telling([behaviour(1, { before })]), null);
  });

  test('one of each outcome is told, where another one is held back', () => {
    const raises = (number: number): Behaviour => behaviour(number, { kind: 'raises', expected: 'Bad' });
    const told = telling([...many(2), raises(10), raises(11), behaviour(20, { expected: 'True' })]);
    assert.deepEqual(told?.told.map(({ kind }) => kind).sort(), ['equals', 'raises']);
    assert.ok(told.told.every(({ expected }) => expected !== 'True'));
    assert.equal(told.heldBack, 3);
  });

  test('the choice is of different tests, the same for a seed, another for another', () => {
    const behaviours = many(12).map((each, number) => ({ ...each, test: `t.py::test_${number % 3}` }));
    const told = telling(behaviours);
    assert.equal(new Set(told?.told.map((each) => each.test)).size, 3);
    assert.deepEqual(telling([...behaviours].reverse()), told);
    const others = ['a', 'b', 'c', 'd'].map((seed) => telling(behaviours, { seed })?.sentences.join());
    assert.ok(new Set(others).size > 1);
  });

  test('what may not stand in an instruction is not told, and what happens today comes before what is not there', () => {
    const absent = { does: 'absent', text: 'AttributeError', message: null } as const;
    const behaviours = many(6).map((each, number) => (number < 4 ? { ...each, before: absent } : each));
    const told = telling(behaviours, { isClean: (sentence: string) => !sentence.includes('f(5)') });
    assert.equal(told?.told[0]?.expression, 'f(4)');
    assert.equal(telling(behaviours, { isClean: () => false }), null);
  });

  test('sentences say what happens and what should', () => {
    const say = (more: Partial<Behaviour>): string => sentenceOf(behaviour(1, more), 'raise');
    assert.equal(say({}), '`f(1)` returns `0`; it should return `1`.');
    assert.equal(say({ expression: 'f(1).a' }), '`f(1).a` is `0`; it should be `1`.');
    assert.equal(say({ before: null }), '`f(1)` should return `1`.');
    assert.equal(
      say({ kind: 'raises', expected: 'Bad', before: { does: 'raises', text: 'KeyError', message: 'no x.' } }),
      '`f(1)` raises `KeyError` (no x); it should raise `Bad`.',
    );
    const worded = { kind: 'raises', expected: 'Bad', says: 'no "x"', before: null } as const;
    assert.equal(say(worded), '`f(1)` should raise `Bad` that says "no \\"x\\"".');
    assert.equal(say({ kind: 'contains' }), '`f(1)` returns `0`; it should have `1` in it.');
  });

  test('what sets a call up comes before it, on one line where that is short, and is no part of its length', () => {
    const say = (setup: string): string => sentenceOf(behaviour(1, { setup }), 'raise');
    assert.equal(say('a = g()\na.add(1)'), 'After `a = g(); a.add(1)`, `f(1)` returns `0`; it should return `1`.');
    for (const block of ['class A(B):\n    pass', `a = g('${'x'.repeat(60)}')\na.add('${'y'.repeat(60)}')`])
      assert.equal(
        say(block),
        `After this:\n\n\`\`\`\n${block}\n\`\`\`\n\n\`f(1)\` returns \`0\`; it should return \`1\`.`,
      );
    const long = behaviour(1, { setup: `a = g()\n${'a.add(1)\n'.repeat(40)}a.end()` });
    const others = many(5).map((each) => ({ ...each, expression: `f('${'x'.repeat(300)}')` }));
    assert.equal(telling([long, ...others])?.told[0], long);
    assert.equal(telling([long, long])?.tells, 'symptoms');
  });

  test('whether a sentence is clean depends on all of it, its setup too', () => {
    const behaviours = many(6).map((each, number) => ({ ...each, setup: `a = g(${number})` }));
    const isClean = (sentence: string): boolean => !/g\([0-4]\)/.test(sentence);
    assert.deepEqual(
      telling(behaviours, { isClean })?.told.map(({ site }) => site),
      [5],
    );
    const symptoms = telling(behaviours.slice(0, 1), { isClean });
    assert.equal(symptoms, null);
  });
});

describe('observing behaviour', () => {
  let fixture: MineFixture;
  before(async () => {
    const manifest = { name: 'tally', version: '1.0.0', scripts: { test: 'node --test' }, engines: { node: '>=22' } };
    fixture = await MineFixture.make({ 'package.json': JSON.stringify(manifest) });
  });
  after(() => fixture.dispose());

  test('only what the reference does and T0 does not is told, as it is with both', async () => {
    const more = `
test('more', () => {
  const words = ['toString', 'valueOf'];
  assert.strictEqual(tally(words).valueOf, 1);
  assert.deepStrictEqual(Object.keys(tally(['__proto__'])), ['__proto__']);
  assert.strictEqual(tally(['b']).b, 1);
  assert.strictEqual(tally(words).toString, words.length - 1);
  const counts = tally(['a', 'isPrototypeOf']);
  counts.b = counts.a;
  assert.deepStrictEqual(Object.values(counts), [1, 1, 1]);
});
`;
    const candidate = await fixture.candidate({ 'test/tally.test.js': NEW_TESTS + more });
    const built = await build(candidate, fixture.context);
    const id = (title: string): string => `test/tally.test.js > ${title}`;
    const found = await observeBehaviour({
      task: { meta: { steering: [] } },
      command: { ...built.command, files: ['test/tally.test.js'] },
      expected: { failToPass: [id('counts a word that every object has'), id('more')], passToPass: [] },
      reference: candidate.reference,
      hidden: candidate.hidden,
      t0Directory: built.t0Directory,
      environment: await built.environment(),
      provider: fixture.context.provider,
    });
    const native = (name: string): string => JSON.stringify(`function ${name}() { [native code] }1`);
    assert.deepEqual(
      found.map((each) => sentenceOf(each, 'throw')),
      [
        `\`tally(['constructor']).constructor\` is \`${native('Object')}\`; it should be \`1\`.`,
        `\`tally(['toString', 'valueOf']).valueOf\` is \`${native('valueOf')}\`; it should be \`1\`.`,
        '`Object.keys(tally([\'__proto__\']))` returns `[]`; it should return `["__proto__"]`.',
        `\`tally(['toString', 'valueOf']).toString\` is \`${native('toString')}\`; it should be \`1\`.`,
        `After \`const counts = tally(['a', 'isPrototypeOf']); counts.b = counts.a\`, ` +
          `\`Object.values(counts)\` returns \`[1, ${native('isPrototypeOf')}, 1]\`; it should return \`[1, 1, 1]\`.`,
      ],
    );
    assert.equal(found[1]?.inputs, found[3]?.inputs);
  });
});
