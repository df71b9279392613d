import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { computed, QUOTES } from './sql-probes.ts';

test('a probe changes where it becomes a part of a statement, and nowhere else', () => {
  const database = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true });
  for (const quote of QUOTES) {
    const probe = computed('injected', quote, 'probe-', '-end');
    assert.deepEqual({ ...database.prepare('SELECT ? AS text').get(probe) }, { text: probe });
    assert.deepEqual(
      { ...database.prepare(`SELECT ${quote}${probe}${quote} AS text`).get() },
      { text: 'probe-injected-end' },
    );
    assert.deepEqual(
      { ...database.prepare(`SELECT ${quote}${computed('user1', quote)}${quote} AS text`).get() },
      { text: 'user1' },
    );
  }
});
