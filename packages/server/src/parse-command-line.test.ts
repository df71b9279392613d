import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from './command.ts';
import { parseCommandLine, type CommandLine } from './parse-command-line.ts';

const member = (name: string): Command => ({
  name,
  summary: `summary of ${name}`,
  description: `What ${name} does.`,
  example: `assay ${name} x`,
  arguments: [
    { name: 'file', description: 'a file' },
    { name: 'other', description: 'another one', required: false },
  ],
  options: {
    deep: { kind: 'flag', description: 'look deeper' },
    wait: { kind: 'seconds', description: 'for so long' },
  },
  run: () => Promise.reject(new Error('not run here')),
});
const COMMANDS = [member('plain'), member('box open'), member('box close'), member('key new')];

function parse(...words: string[]): CommandLine {
  return parseCommandLine(words, {
    commands: COMMANDS,
    groups: { box: 'work with boxes', key: 'work with keys' },
    version: '1.2.3',
    columns: 80,
  });
}

function answered(...words: string[]): Extract<CommandLine, { kind: 'answered' }> {
  const line = parse(...words);
  assert.ok(line.kind === 'answered', words.join(' '));
  return line;
}

describe('groups of commands', () => {
  test('two words name a member', () => {
    const line = parse('box', 'close', 'lid', '--deep', '--json');
    assert.ok(line.kind === 'command');
    assert.equal(line.command.name, 'box close');
    assert.deepEqual(
      { input: line.input, json: line.json },
      { input: { file: 'lid', other: undefined, deep: true, wait: undefined }, json: true },
    );
  });

  test('the help lists groups, not their members', () => {
    const { exitCode, output } = answered('--help');
    assert.equal(exitCode, 0);
    assert.match(output, /box +work with boxes/);
    assert.doesNotMatch(output, /summary of box/);
  });

  test('the group alone shows its help as bad use; --help and help show it as an answer', () => {
    const alone = answered('box');
    assert.deepEqual([alone.exitCode, alone.output], [2, '']);
    assert.match(alone.error, /^Usage: assay box[^]*open[^]*summary of box open[^]*close/);
    assert.deepEqual(answered('box', '--help'), { kind: 'answered', exitCode: 0, output: alone.error, error: '' });
    assert.deepEqual(answered('help', 'box'), answered('box', '--help'));
  });

  test('the help of a member, either way of asking', () => {
    const { exitCode, output } = answered('box', 'open', '--help');
    assert.equal(exitCode, 0);
    assert.match(output, /^Usage: assay box open \[options\] <file> \[other\]/);
    assert.equal(answered('help', 'box', 'open').output, output);
  });

  test('an unknown member is told from its siblings', () => {
    const { exitCode, error } = answered('box', 'opne');
    assert.equal(exitCode, 2);
    assert.equal(error, "error: unknown command 'opne'. (Did you mean open?) There are: box open, box close.\n");
  });

  test('an unknown command is told from commands and groups', () => {
    assert.match(answered('bocks').error, /There are: plain, box, key\.\n$/);
  });

  test('errors of a member are one line', () => {
    assert.equal(answered('box', 'open').error, "error: missing required argument 'file'\n");
    assert.equal(answered('box', 'open', 'a', '--', 'b').error, 'error: box open takes nothing after --\n');
    assert.match(answered('box', 'open', 'a', 'b', 'c').error, /^error: too many arguments for 'open'[^\n]+\n$/);
  });
});

describe('seconds', () => {
  for (const text of ['0', '-1', 'nan', '1e3', '1000001', '99999999', '0x10', '1.']) {
    test(`${text} is refused`, () =>
      assert.match(answered('plain', 'a', `--wait=${text}`).error, /above 0, at most 1000000\.\n$/));
  }
  test('a fraction, and the most', () => {
    for (const text of ['0.5', '1000000']) assert.equal(parse('plain', 'a', '--wait', text).kind, 'command');
  });
});

test('an argument that may be left out', () => {
  const without = parse('plain', 'a');
  const both = parse('plain', 'a', 'b');
  assert.ok(without.kind === 'command' && both.kind === 'command');
  assert.deepEqual([without.input['other'], both.input['other']], [undefined, 'b']);
});
