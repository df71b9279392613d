import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { pythonFloat, pythonJson, pythonText, splitLines } from './python-values.ts';

describe('values as Python prints them', () => {
  it('floats', () => {
    const printed = [
      20,
      0.25,
      1e15,
      1e16,
      1.5e16,
      123456789012345680,
      1e-4,
      1e-5,
      1.25e-7,
      -0,
      -2.5,
      5e-324,
      1.7976931348623157e308,
      Infinity,
      NaN,
    ].map(pythonFloat);
    assert.deepEqual(printed, [
      '20.0',
      '0.25',
      '1000000000000000.0',
      '1e+16',
      '1.5e+16',
      '1.2345678901234568e+17',
      '0.0001',
      '1e-05',
      '1.25e-07',
      '-0.0',
      '-2.5',
      '5e-324',
      '1.7976931348623157e+308',
      'inf',
      'nan',
    ]);
  });

  it('whole numbers without a fraction, however big', () => {
    assert.equal(pythonText(1e21), '1000000000000000000000');
    assert.equal(pythonText(2n ** 70n), '1180591620717411303424');
    assert.equal(pythonText(-3), '-3');
  });

  it('JSON without what is undefined, and no numbers that JSON has not', () => {
    assert.equal(pythonJson({ a: undefined, b: null }), '{"b": null}');
    assert.throws(() => pythonJson([Number.NaN]), { name: 'HttpFailure', kind: 'request' });
  });
});

describe('splitLines', () => {
  it('splits where Python does', () => {
    assert.deepEqual(splitLines(''), []);
    assert.deepEqual(splitLines('\n'), ['']);
    assert.deepEqual(splitLines('a\r\n\nb\r'), ['a', '', 'b']);
    assert.deepEqual(splitLines('a\vb\fc\x1cd\x1de\x1ef\x85g\u2028h\u2029i\x1fj\tk'), [
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      'i\x1fj\tk',
    ]);
  });
});
