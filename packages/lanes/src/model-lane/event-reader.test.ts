import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader } from './event-reader.ts';
import { KeyGuard } from './key-guard.ts';

test('events are the same however the stream is cut', () => {
  const bytes = Buffer.from(
    'event: a\r\ndata: {"n":1,"t":"é😀"}\r\n\r\n:comment\ndata:{"n":2}\n\nid: 4\ndata: [DONE]\n\ndata: {"n":3}',
  );
  for (let size = 1; size <= bytes.length; size += 1) {
    const found: unknown[] = [];
    const reader = new EventReader((event) => found.push(event));
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.end();
    assert.deepEqual([found, reader.malformed], [[{ n: 1, t: 'é😀' }, { n: 2 }, { n: 3 }], 0], `pieces of ${size}`);
  }
});

test('after too many malformed events the rest is only counted', () => {
  const found: unknown[] = [];
  const reader = new EventReader((event) => found.push(event));
  reader.push(Buffer.from('data: {"a":1}\ndata:\n:\nd\n\ndata: {\n'));
  assert.deepEqual([found, reader.malformed], [[{ a: 1 }], 1]);
  reader.push(Buffer.from('data: {\n'.repeat(20_000)));
  reader.push(Buffer.from('data: {"b":1}\n'));
  assert.deepEqual([found, reader.malformed], [[{ a: 1 }], 10_000 + 10_002]);
});

test('an endless line is skipped, and what follows is read', () => {
  const found: unknown[] = [];
  const reader = new EventReader((event) => found.push(event));
  const piece = Buffer.alloc(1024 * 1024, 'x');
  reader.push(Buffer.from('data: {"a":"'));
  for (let count = 0; count < 20; count += 1) reader.push(piece);
  reader.push(Buffer.from('"}\ndata: {"b":1}\n'));
  assert.deepEqual([found, reader.malformed], [[{ b: 1 }], 1]);
});

test('a secret is found however the stream is cut; all else passes unchanged', () => {
  const key = 'aab-aab-aab-aac';
  const guard = new KeyGuard(key);
  const safe = Buffer.from(`aaab-aab-aab-aab-aab aab-aab-aab-aa ${key.slice(1)} aab`);
  const unsafe = Buffer.from(`x aab-aab-${key} y`);
  for (let size = 1; size <= 40; size += 1) {
    const run = (bytes: Buffer): string | null => {
      const filter = guard.filter();
      let passed = '';
      for (let at = 0; at < bytes.length; at += size) {
        const piece = filter.push(bytes.subarray(at, at + size));
        if (piece === null) return null;
        passed += piece.toString();
        assert.ok(!passed.includes(key));
      }
      return passed + filter.end().toString();
    };
    assert.equal(run(safe), safe.toString(), `pieces of ${size}`);
    assert.equal(run(unsafe), null, `pieces of ${size}`);
  }
  assert.equal(guard.masked(`a ${key} b`), 'a [key] b');
  const placeholder = new KeyGuard('none');
  assert.ok(!placeholder.isIn(Buffer.from('none')) && placeholder.masked('none') === 'none');
});
