import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toldBy, withItems, withParagraphs } from './statement.ts';

describe('where sentences come from', () => {
  const message = toldBy(
    'message',
    'Reading stops at an empty row',
    'A file, e.g. Excel\'s, may have one. Rows after it\nare lost:\n\n```python\nread("a\\n\\nb")\n```\n\n- in text mode\n- in binary mode',
  );

  test('title, sentences, code and items are told apart, in their order', () => {
    assert.deepEqual(
      message.sentences.map(({ text }) => text),
      [
        'Reading stops at an empty row',
        "A file, e.g. Excel's, may have one.",
        'Rows after it are lost:',
        '```python\nread("a\\n\\nb")\n```',
        'in text mode',
        'in binary mode',
      ],
    );
    assert.ok(message.sentences.every(({ source }) => source === 'message'));
  });

  test('paragraphs of another source are appended, and an empty one is nothing', () => {
    const more = withParagraphs(message, 'changelog', 'Empty rows are read as `None`.\n');
    assert.equal(more.body, `${message.body}\n\nEmpty rows are read as \`None\`.`);
    assert.deepEqual(more.sentences.at(-1), { text: 'Empty rows are read as `None`.', source: 'changelog' });
    assert.equal(withParagraphs(message, 'changelog', '\n'), message);
  });

  test('all lines of an item belong to it', () => {
    const items = ['After this:\n\n```\nclass A:\n    pass\n```\n\n`f(A)` returns `1`.', '`f(2)` returns `0`.'];
    const { body, sentences } = withItems(toldBy('message', 'Reading', ''), 'behaviour', {
      lead: 'What happens:',
      items,
    });
    assert.equal(
      body,
      'What happens:\n\n- After this:\n\n  ```\n  class A:\n      pass\n  ```\n\n  `f(A)` returns `1`.\n- `f(2)` returns `0`.',
    );
    assert.equal(sentences[2]?.text, items[0]);
  });
});
