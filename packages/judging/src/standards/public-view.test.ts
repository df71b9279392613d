import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STANDARD_TYPES, type Standard } from '@assay/protocol';
import { exampleStandard } from './example-standards.ts';
import { publicView } from './public-view.ts';

test('neither expected values, nor inputs but one, nor probes are shown', () => {
  const standard: Standard = {
    type: 'composite',
    children: [
      {
        weight: 1,
        standard: {
          type: 'test_cases',
          functionName: 'f',
          cases: [
            { input: ['shown'], expected: 'secret-one' },
            { input: ['hidden'], expected: { deep: ['secret-two'] } },
            { input: [1], throws: 'secret-three' },
          ],
        },
      },
      { weight: 1, standard: { type: 'checklist', items: [{ check: 'is short', probe: { command: 'secret-four' } }] } },
    ],
  };
  const view = publicView(standard);
  assert.match(view, /f\("shown"\)/);
  assert.match(view, /is short/);
  assert.doesNotMatch(view, /secret|hidden/);
});

for (const type of STANDARD_TYPES) {
  test(`the example of ${type} says what is asked`, () =>
    assert.match(publicView(exampleStandard(type)), /Deep merge|deep merge/));
}

test('text of a stranger cannot write on the terminal or add headings', () => {
  const view = publicView({ type: 'checklist', title: 'a\n# b\u001b[2J', items: ['one\n## two'] });
  assert.doesNotMatch(view, /\u001b/);
  assert.equal(view.match(/^#/gm)?.length, 1);
});
