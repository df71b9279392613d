import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { parseAnswers } from './parse-answers.ts';

describe('parseAnswers', () => {
  test('reads who answers what on which ground', () => {
    const answers = parseAnswers(
      '{"by": "Ada", "answers": [{"item": 1, "passed": true, "evidence": "read it"}, {"item": "has a title", "passed": false, "evidence": "none"}]}',
    );
    assert.equal(answers.by, 'Ada');
    assert.deepEqual(
      answers.answers.map(({ item, passed }) => [item, passed]),
      [
        [1, true],
        ['has a title', false],
      ],
    );
    assert.match(answers.digest, /^[0-9a-f]{64}$/);
  });

  const wrong: [string, RegExp][] = [
    ['', /^a\.json: the document: no JSON/],
    ['[]', /^a\.json: the document: /],
    ['{"answers": {}}', /^a\.json: answers: expected an array/],
    [
      '{"answers": [{"item": 1, "passed": "yes", "evidence": "x"}]}',
      /^a\.json: answers\[0\]\.passed: expected true or false/,
    ],
    ['{"answers": [{"item": 1, "passed": true}]}', /^a\.json: answers\[0\]\.evidence: expected a text/],
    [
      '{"answers": [{"item": 0, "passed": true, "evidence": "x"}]}',
      /^a\.json: answers\[0\]\.item: expected the number/,
    ],
    ['{"answers": [], "score": 100}', /^a\.json: the document: .*score/],
    [
      '{"answers": [{"item": 1, "passed": false, "passed": true, "evidence": "x"}]}',
      /^a\.json: the document: an object has a key twice/,
    ],
  ];
  for (const [text, message] of wrong) {
    test(`refuses ${text || 'nothing'}`, () => {
      assert.throws(
        () => parseAnswers(text, 'a.json'),
        (error) =>
          AssayError.is(error) &&
          error.code === 'ANSWERS_INVALID' &&
          error.kind === 'user' &&
          message.test(error.message),
      );
    });
  }
});
