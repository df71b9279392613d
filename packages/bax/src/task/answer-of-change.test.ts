import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerOfChange } from './answer-of-change.ts';

const change = (files: Record<string, string | Buffer>): Parameters<typeof answerOfChange>[0] => ({
  files: Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content), executable: false })),
  deleted: ['package.json'],
});
const one = { codeFile: 'app.py' };
const several = { codeFile: null };
const namesOf = (answer: ReturnType<typeof answerOfChange>): string[] =>
  'files' in answer ? Object.keys(answer.files) : [answer.invalid];

describe('what an agent handed in, as an answer', () => {
  test('of one file only that file counts', () => {
    assert.deepEqual(
      namesOf(
        answerOfChange(
          change({ 'app.py': 'a', 'sitecustomize.py': 'b', 'sub/app.py': 'c', 'requirements.txt': 'd' }),
          one,
        ),
      ),
      ['app.py'],
    );
    assert.match(namesOf(answerOfChange(change({ 'main.py': 'a' }), one))[0] ?? '', /^no app\.py was handed in$/);
  });

  test('of several all do, but for the database that trying it out has left', () => {
    assert.deepEqual(
      namesOf(
        answerOfChange(
          change({ 'src/main.ts': 'a', 'db.sqlite3': 'b', 'db.sqlite3-wal': 'c', 'data/db.sqlite3': 'd' }),
          several,
        ),
      ),
      ['src/main.ts', 'data/db.sqlite3'],
    );
    for (const nothing of [change({}), change({ 'db.sqlite3': 'x' })])
      assert.deepEqual(namesOf(answerOfChange(nothing, several)), ['no file was handed in']);
  });

  test('no more files and bytes than a response may have', () => {
    const files = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, '']));
    assert.equal(namesOf(answerOfChange(change(files(500)), several)).length, 500);
    assert.match(
      namesOf(answerOfChange(change(files(501)), several))[0] ?? '',
      /^501 files were handed in, and 500 are the most/,
    );
    assert.deepEqual(namesOf(answerOfChange(change({ 'app.py': Buffer.alloc(4 * 1024 * 1024) }), one)), ['app.py']);
    assert.match(
      namesOf(answerOfChange(change({ 'app.py': Buffer.alloc(4 * 1024 * 1024 + 1) }), one))[0] ?? '',
      /^4194305 bytes were handed in, and 4194304 are the most/,
    );
  });
});
