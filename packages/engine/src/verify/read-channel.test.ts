import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channelCode, readChannel, type ChannelProblem } from './read-channel.ts';

const NONCE = 'c0ffee';
const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
const start = line({ type: 'start', runner: 'pytest 8.3.5' });
const end = (tests: number): string => line({ type: 'end', tests });
const passed = (id: string): string => line({ type: 'test', id, status: 'passed', durationMs: 1.5 });

/**
 * Puts its code before every line, as a runner does. A line that begins with `!` is left as it is, without that sign.
 */
function signed(text: string, nonce = NONCE): string {
  return text
    .split('\n')
    .map((each, index, all) => {
      if (each.startsWith('!')) return each.slice(1);
      return index === all.length - 1 && each === '' ? '' : `${channelCode(nonce, index, each)} ${each}`;
    })
    .join('\n');
}

describe('readChannel', () => {
  test('a whole channel', () => {
    const text = `${start}${passed('a.py::x')}${line({ type: 'test', id: 'a.py::y', status: 'xfailed', durationMs: 0 })}${line({ type: 'uncollected', file: 'b.py', detail: 'no' })}${end(2)}`;
    const report = readChannel(signed(text), NONCE);
    assert.deepEqual(report.problems, []);
    assert.deepEqual(
      [...report.results.values()],
      [
        { id: 'a.py::x', status: 'passed', durationMs: 1.5 },
        { id: 'a.py::y', status: 'xfailed', durationMs: 0 },
      ],
    );
    assert.deepEqual(report.uncollected, ['b.py']);
    assert.equal(report.started && report.ended, true);
  });

  const problems: Record<string, [string, ChannelProblem[]]> = {
    'nothing at all': ['', ['no-start', 'no-end']],
    'no start': [`${passed('x')}${end(1)}`, ['forged', 'no-start', 'no-end']],
    'no end': [`${start}${passed('x')}`, ['no-end']],
    'a cut last line': [`${start}${passed('x')}${end(1).slice(0, 20)}`, ['no-end']],
    'an end without its line break': [`${start}${end(0).trimEnd()}`, ['no-end']],
    'too few records': [`${start}${passed('x')}${end(2)}`, ['count']],
    'too many records': [`${start}${passed('x')}${passed('y')}${end(1)}`, ['count']],
    'an id twice': [`${start}${passed('x')}${passed('x')}${end(2)}`, ['duplicate']],
    'another nonce': [
      `${start}!${channelCode('c0ffed', 1, passed('x').trimEnd())} ${passed('x')}${end(0)}`,
      ['forged'],
    ],
    'the code of another line': [
      `${start}!${channelCode(NONCE, 2, passed('x').trimEnd())} ${passed('x')}${end(0)}`,
      ['forged'],
    ],
    'the code of another text': [
      `${start}!${channelCode(NONCE, 1, passed('y').trimEnd())} ${passed('x')}${end(0)}`,
      ['forged'],
    ],
    'the nonce itself': [`${start}!${NONCE} ${passed('x')}${end(0)}`, ['forged']],
    'no code': [`${start}!${passed('x')}${end(0)}`, ['forged']],
    text: [`${start}PASSED x\n${end(0)}`, ['forged']],
    'unsigned text': [`${start}!PASSED x\n${end(0)}`, ['forged']],
    'an empty line': [`${start}!\n${end(0)}`, ['forged']],
    'a second start': [`${start}${start}${end(0)}`, ['forged']],
    'a record after the end': [`${start}${end(0)}${passed('x')}`, ['forged']],
    'half a record after the end': [`${start}${end(0)}{"type"`, ['forged']],
    'a second end': [`${start}${end(0)}${end(0)}`, ['forged']],
    'an unknown type': [`${start}${line({ type: 'reward', value: 1 })}${end(0)}`, ['forged']],
    'the runner saw a forgery': [`${start}${line({ type: 'forged', detail: 'x' })}${end(0)}`, ['forged']],
    'a type of an object’s prototype': [`${start}${line({ type: 'constructor' })}${end(0)}`, ['forged']],
    'an additional field': [
      `${start}${line({ type: 'test', id: 'x', status: 'passed', durationMs: 1, reward: 1 })}${end(0)}`,
      ['forged'],
    ],
    'the status missing': [
      `${start}${line({ type: 'test', id: 'x', status: 'missing', durationMs: 1 })}${end(0)}`,
      ['forged'],
    ],
    'a status that there is not': [
      `${start}${line({ type: 'test', id: 'x', status: 'PASSED', durationMs: 1 })}${end(0)}`,
      ['forged'],
    ],
    'a list': [`${start}["start"]\n${end(0)}`, ['forged']],
    null: [`${start}null\n${end(0)}`, ['forged']],
    'nested values': [
      `${start}${line({ type: 'test', id: ['x'], status: 'passed', durationMs: 1 })}${end(0)}`,
      ['forged'],
    ],
    'an endless duration': [
      `${start}{"type":"test","id":"x","status":"passed","durationMs":1e999}\n${end(0)}`,
      ['forged'],
    ],
    'a negative duration': [
      `${start}${line({ type: 'test', id: 'x', status: 'passed', durationMs: -1 })}${end(0)}`,
      ['forged'],
    ],
    'a fraction of a test': [`${start}${line({ type: 'end', tests: 0.5 })}`, ['forged', 'no-end']],
    'a byte order mark': [`\uFEFF${start}${end(0)}`, ['forged', 'no-start', 'no-end']],
    'a line that is too long': [`${start}${passed('x'.repeat(70_000))}${end(1)}`, ['too-large', 'no-end']],
    'too many lines': [`${start}${passed('x').repeat(200_001)}`, ['duplicate', 'too-large', 'no-end']],
    'deep nesting': [`${start}${'['.repeat(60_000)}\n${end(0)}`, ['forged']],
  };
  for (const [name, [text, expected]] of Object.entries(problems)) {
    test(name, () => assert.deepEqual([...readChannel(signed(text), NONCE).problems].sort(), [...expected].sort()));
  }

  test('a record left out on the way is noticed', () => {
    const lines = signed(
      `${start}${line({ type: 'test', id: 'x', status: 'failed', durationMs: 1 })}${passed('x')}${end(1)}`,
    ).split('\n');
    assert.deepEqual(readChannel(lines.toSpliced(1, 1).join('\n'), NONCE).problems, ['forged', 'no-end']);
  });

  test('ids that are names of object members are ids like others', () => {
    const report = readChannel(
      signed(
        `${start}${passed('__proto__')}${passed('constructor')}{"type":"test","id":"p","status":"passed","durationMs":1,"__proto__":{}}\n${end(2)}`,
      ),
      NONCE,
    );
    assert.deepEqual([...report.results.keys()], ['__proto__', 'constructor']);
    assert.deepEqual(report.problems, ['forged']);
  });
});
