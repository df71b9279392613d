import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readChannel, type ChannelProblem } from './read-channel.ts';

const NONCE = 'c0ffee';
const line = (fields: object): string => `${JSON.stringify({ nonce: NONCE, ...fields })}\n`;
const start = line({ type: 'start', runner: 'pytest 8.3.5' });
const end = (tests: number): string => line({ type: 'end', tests });
const passed = (id: string): string => line({ type: 'test', id, status: 'passed', durationMs: 1.5 });

describe('readChannel', () => {
  test('a whole channel', () => {
    const text = `${start}${passed('a.py::x')}${line({ type: 'test', id: 'a.py::y', status: 'xfailed', durationMs: 0 })}${line({ type: 'uncollected', file: 'b.py', detail: 'no' })}${end(2)}`;
    const report = readChannel(text, NONCE);
    assert.deepEqual(report.problems, []);
    assert.deepEqual([...report.results.values()], [{ id: 'a.py::x', status: 'passed', durationMs: 1.5 }, { id: 'a.py::y', status: 'xfailed', durationMs: 0 }]);
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
    'another nonce': [`${start}${passed('x').replace(NONCE, 'c0ffed')}${end(0)}`, ['forged']],
    'no nonce': [`${start}{"type":"test","id":"x","status":"passed","durationMs":1}\n${end(0)}`, ['forged']],
    'text': [`${start}PASSED x\n${end(0)}`, ['forged']],
    'an empty line': [`${start}\n${end(0)}`, ['forged']],
    'a second start': [`${start}${start}${end(0)}`, ['forged']],
    'a record after the end': [`${start}${end(0)}${passed('x')}`, ['forged']],
    'half a record after the end': [`${start}${end(0)}{"nonce"`, ['forged']],
    'a second end': [`${start}${end(0)}${end(0)}`, ['forged']],
    'an unknown type': [`${start}${line({ type: 'reward', value: 1 })}${end(0)}`, ['forged']],
    'the runner saw a forgery': [`${start}${line({ type: 'forged', detail: 'x' })}${end(0)}`, ['forged']],
    'a type of an object’s prototype': [`${start}${line({ type: 'constructor' })}${end(0)}`, ['forged']],
    'an additional field': [`${start}${line({ type: 'test', id: 'x', status: 'passed', durationMs: 1, reward: 1 })}${end(0)}`, ['forged']],
    'the status missing': [`${start}${line({ type: 'test', id: 'x', status: 'missing', durationMs: 1 })}${end(0)}`, ['forged']],
    'a status that there is not': [`${start}${line({ type: 'test', id: 'x', status: 'PASSED', durationMs: 1 })}${end(0)}`, ['forged']],
    'a list': [`${start}["${NONCE}"]\n${end(0)}`, ['forged']],
    'null': [`${start}null\n${end(0)}`, ['forged']],
    'nested values': [`${start}${line({ type: 'test', id: ['x'], status: 'passed', durationMs: 1 })}${end(0)}`, ['forged']],
    'an endless duration': [`${start}{"nonce":"${NONCE}","type":"test","id":"x","status":"passed","durationMs":1e999}\n${end(0)}`, ['forged']],
    'a negative duration': [`${start}${line({ type: 'test', id: 'x', status: 'passed', durationMs: -1 })}${end(0)}`, ['forged']],
    'a fraction of a test': [`${start}${line({ type: 'end', tests: 0.5 })}`, ['forged', 'no-end']],
    'a byte order mark': [`\uFEFF${start}${end(0)}`, ['forged', 'no-start', 'no-end']],
    'a line that is too long': [`${start}${passed('x'.repeat(70_000))}${end(1)}`, ['too-large', 'no-end']],
    'too many lines': [`${start}${passed('x').repeat(200_001)}`, ['duplicate', 'too-large', 'no-end']],
    'deep nesting': [`${start}${'['.repeat(60_000)}\n${end(0)}`, ['forged']],
  };
  for (const [name, [text, expected]] of Object.entries(problems)) {
    test(name, () => assert.deepEqual([...readChannel(text, NONCE).problems].sort(), [...expected].sort()));
  }

  test('ids that are names of object members are ids like others', () => {
    const report = readChannel(`${start}${passed('__proto__')}${passed('constructor')}{"nonce":"${NONCE}","type":"test","id":"p","status":"passed","durationMs":1,"__proto__":{}}\n${end(2)}`, NONCE);
    assert.deepEqual([...report.results.keys()], ['__proto__', 'constructor']);
    assert.deepEqual(report.problems, ['forged']);
  });
});
