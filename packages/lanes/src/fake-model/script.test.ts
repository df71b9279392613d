import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { checkScript, FAULTS, parseScript } from './script.ts';

const REFUSED: [text: string, field: string][] = [
  ['', 'the document'],
  ['{', 'the document'],
  ['[]', 'the document'],
  ['{}', 'turns'],
  ['{"turns": []}', 'turns'],
  ['{"turns": {}}', 'turns'],
  ['{"turns": [{}], "order": "any"}', 'order'],
  ['{"turns": [{"say": "a"}, 3]}', 'turns[1]'],
  ['{"turns": [{"sya": "a"}]}', 'turns[0]'],
  ['{"turns": [{"say": 1}]}', 'turns[0].say'],
  ['{"turns": [{"tools": [{"arguments": {}}]}]}', 'turns[0].tools[0].name'],
  ['{"turns": [{"tools": [{"name": "read_file", "arguments": {"file": "a"}}]}]}', 'turns[0].tools[0].arguments.path'],
  [
    '{"turns": [{"tools": [{"name": "run_shell", "arguments": {"command": "a", "x": 1}}]}]}',
    'turns[0].tools[0].arguments',
  ],
  ['{"turns": [{"repeat": 0}]}', 'turns[0].repeat'],
  ['{"turns": [{"usage": {"input": -1}}]}', 'turns[0].usage.input'],
  ['{"turns": [{"when": {"request": 0}}]}', 'turns[0].when.request'],
  ['{"turns": [{"fault": "nope"}]}', 'turns[0].fault'],
  ['{"turns": [{"fault": "status"}]}', 'turns[0].status'],
  ['{"turns": [{"fault": "status", "status": 200, "headers": {"x": "a\\nb"}}]}', 'turns[0].headers.x'],
  ['{"turns": [{"fault": "status", "status": 200, "headers": {"x y": "a"}}]}', 'turns[0].headers.x y'],
  ['{"turns": [{"fault": "redirect", "location": "a\\r\\nb"}]}', 'turns[0].location'],
  ['{"turns": [{"fault": "cut", "status": 500}]}', 'turns[0]'],
];

describe('a script that is refused names the place', () => {
  for (const [text, field] of REFUSED) {
    test(text, () => {
      assert.throws(
        () => parseScript(text, 'a.json'),
        (error) =>
          AssayError.is(error) &&
          error.code === 'SCRIPT_INVALID' &&
          error.details['field'] === field &&
          !error.message.includes('\n'),
      );
    });
  }
});

test('a raw call may have any arguments', () => {
  const script = checkScript({ turns: [{ tools: [{ name: 'read_file', raw: true, arguments: { anything: 1 } }] }] });
  assert.deepEqual(script.turns[0]?.tools[0]?.arguments, { anything: 1 });
});

test('every fault has defaults, but for what only the author can know', () => {
  const known: Record<string, object> = { status: { status: 500 }, redirect: { location: 'http://127.0.0.1/' } };
  for (const fault of FAULTS) assert.equal(checkScript({ turns: [{ fault, ...known[fault] }] }).turns[0]?.fault, fault);
});

test('the page about it knows every fault, and its examples hold', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/fake-model.md'), 'utf8');
  const faults = page.split('\n## Faults\n')[1]?.split('\n## ')[0] ?? '';
  assert.deepEqual(
    [...faults.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name),
    FAULTS,
  );
  const fields = page.split('| field of a turn |')[1]?.split('\n\n')[0] ?? '';
  const {
    turns: [turn],
  } = checkScript({ turns: [{ stop: 'end', model: 'm', repeat: 1, when: {} }] });
  assert.deepEqual(
    [...fields.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name).toSorted(),
    Object.keys(turn ?? {}).toSorted(),
  );
  const examples = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => text ?? '');
  assert.equal(examples.length, 3);
  for (const example of examples) parseScript(example);
});
