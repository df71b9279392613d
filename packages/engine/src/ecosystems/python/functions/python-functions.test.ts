import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { LiteralValue } from '../../function-facet.ts';
import { pythonFunctions } from './python-functions.ts';

const SOURCE = `"""A module."""
import re


@decorated
def wrapped(a):
    return a


async def later(a):
    return a


def _private(a):
    return a


def join(
    parts,  # what to join
    sep: str = ",", *,
    limit: "int | None" = None,
):
    r"""Joins \\parts.

        More.
    """
    # a comment that belongs to the body
    if limit:
        parts = parts[:limit]
    if not parts:
        raise ValueError("""
nothing
""")
    return sep.join(
        parts
)  # the end


def one_line(a): return a


def stamp(a):
    import time
    return time.time() if a else None


if True:
    def inside(a):
        return a
`;

describe('functions of Python', () => {
  const all = pythonFunctions.list('a.py', SOURCE);
  const found = all.find(({ name }) => name === 'join');

  test('those of the top level that others may call, however they are laid out', () => {
    assert.deepEqual(
      all.map(({ name, impure }) => [name, impure]),
      [
        ['join', null],
        ['stamp', 'time'],
      ],
    );
    assert.equal(found?.signature, 'join(parts, sep: str = ",", *, limit: "int | None" = None)');
    assert.equal(found?.documentation, 'Joins \\parts.\n\nMore.');
    assert.deepEqual(found?.parameters, [
      { name: 'parts', isOptional: false },
      { name: 'sep', isOptional: true, type: 'str', default: '","' },
      { name: 'limit', isOptional: true, type: '"int | None"', default: 'None' },
    ]);
    assert.deepEqual([found?.raises, found?.branches], [['ValueError'], 2]);
  });

  test('`__all__` says which are public', () => {
    const text = `__all__ = ['b']\n\ndef a(x):\n    return x\n\ndef b(x):\n    return x\n`;
    assert.deepEqual(
      pythonFunctions.list('a.py', text).map(({ name }) => name),
      ['b'],
    );
  });

  test('a stub is all that is left of a body, and the rest stays as it was', () => {
    assert.ok(found);
    const stubbed = SOURCE.slice(0, found.body.start) + found.stub + SOURCE.slice(found.body.end);
    assert.match(stubbed, /More\.\n {4}"""\n {4}raise NotImplementedError\n\n\ndef one_line/);
    assert.doesNotMatch(stubbed, /belongs to the body|the end/);
  });

  test('what a recorder writes comes again from what is rendered of it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-python-functions-'));
    try {
      const values = [
        'None',
        'True',
        '-7',
        '1.5',
        '1e+300',
        `'it\\'s "x"\\n\\\\'`,
        "'\\U0001f600é\\x00\\u200b'",
        "b'\\x00a'",
        '()',
        '(1,)',
        "[1, [2.0, 'a']]",
        'set()',
        '{1}',
        'frozenset([2])',
        "{'a': [1], 2: None}",
      ];
      const program = `${pythonFunctions.helper.text}
for value in [${values.join(', ')}]:
    print(json.dumps(encode(value)))
for value in [float("nan"), 10**80, object(), "\\ud800"]:
    try:
        print(encode(value))
    except NoLiteral:
        print("none")
`;
      await writeFile(join(directory, 'p.py'), program);
      const lines = execFileSync('python3', ['-I', join(directory, 'p.py')], { encoding: 'utf8' })
        .trim()
        .split('\n');
      assert.deepEqual(lines.slice(values.length), ['none', 'none', 'none', 'none']);
      const rendered = lines
        .slice(0, values.length)
        .map((line) => pythonFunctions.render(JSON.parse(line) as LiteralValue));
      const check = `print([a == b and type(a) is type(b) for a, b in zip([${values.join(', ')}], [${rendered.join(', ')}])].count(True))`;
      assert.equal(execFileSync('python3', ['-I', '-c', check], { encoding: 'utf8' }).trim(), String(values.length));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('what is written of a foreign recorder is a literal, whatever stands in it', () => {
    assert.equal(pythonFunctions.render({ kind: 'int', text: '__import__("os")' }), 'None');
    assert.equal(pythonFunctions.render({ kind: 'bytes', text: "'+x" }), "bytes.fromhex('')");
  });

  test('a recorder makes calls, and notes values, iterators and exceptions', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-python-recorder-'));
    try {
      const place = { runner: 'pytest', path: 'tests/test_x.py', example: null };
      assert.ok(found);
      const call = (text: string): { positional: LiteralValue[]; named: [] } => ({
        positional: [{ kind: 'list', items: [{ kind: 'str', text }] }],
        named: [],
      });
      const target = { path: 'src/pkg/a.py', found };
      const test = pythonFunctions.recorder(place, target, [call('a'), { positional: [{ kind: 'list' }], named: [] }]);
      assert.match(test, /^from pkg\.a import join$/m);
      const recorded = join(directory, 'recorded.jsonl');
      const helper = pythonFunctions.helper.text.replace('/tmp/assay-recorded.jsonl', recorded);
      const body = test.slice(test.indexOf('    scope["record"]')).replaceAll(/^ {4}/gm, '');
      const source = `def join(parts):\n    if not parts: raise ValueError\n    return iter(parts)\n`;
      await writeFile(join(directory, 'p.py'), `${helper}\n${source}\nscope = globals()\n${body}`);
      execFileSync('python3', ['-I', join(directory, 'p.py')]);
      const lines = (await readFile(recorded, 'utf8')).trim().split('\n');
      assert.deepEqual(
        lines.map((line) => JSON.parse(line) as unknown),
        [
          { call: 0, result: { does: 'yields', value: { kind: 'list', items: [{ kind: 'str', text: 'a' }] } } },
          { call: 1, result: { does: 'raises', name: 'ValueError' } },
        ],
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
