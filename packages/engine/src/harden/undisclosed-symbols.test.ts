import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pythonEcosystem } from '../ecosystems/python/python-ecosystem.ts';
import { patternTexts } from './expected-texts.ts';
import { readT0Tokens } from './t0-tokens.ts';
import { undisclosedSymbols } from './undisclosed-symbols.ts';
import { type Case, change, py, tree, undisclosed } from './undisclosed.fixture.ts';

describe('the story of the exact sentence', () => {
  const before =
    'class PdfReadError(Exception):\n    pass\n\ndef read(stream):\n    try:\n        parse(stream)\n    except PdfReadError as error:\n        raise PdfReadError(f"Trailer cannot be read: {error}")\n';
  const story: Case = {
    t0: { 'src/reader.py': before },
    reference: {
      'src/reader.py': `${before}\ndef parse(stream):\n    if not any(stream.widths):\n        raise PdfReadError("Cross-reference stream "\n                           "encodes no entry data.")\n`,
    },
    tests: {
      'tests/test_reader.py':
        'import pytest\nfrom reader import PdfReadError, read\n\ndef test_empty():\n    with pytest.raises(PdfReadError, match=r"^Trailer cannot be read: Cross\\-reference stream encodes no entry data\\.$"):\n        read(b"/W [0 0 0]")\n',
    },
    instruction: 'Reading a file with empty widths takes minutes. It should raise PdfReadError.',
  };

  test('is told, with where it stands', async () => {
    const t0Directory = tree(story.t0 ?? {});
    const found = undisclosedSymbols({
      reference: change(story.reference),
      tests: change(story.tests),
      t0Directory,
      t0Tokens: await readT0Tokens(t0Directory),
      instruction: story.instruction ?? '',
      ecosystem: pythonEcosystem,
    });
    assert.deepEqual(found, [
      {
        kind: 'message',
        text: 'Cross-reference stream encodes no entry data.',
        where: 'tests/test_reader.py:5',
        everywhere: ['tests/test_reader.py:5'],
      },
    ]);
  });

  test('is silent once the instruction says it', async () => {
    assert.deepEqual(
      await undisclosed({ ...story, instruction: 'It should say "Cross-reference stream encodes no entry data."' }),
      [],
    );
  });

  test('is silent when T0 says it, cut as it may be', async () => {
    assert.deepEqual(
      await undisclosed({
        ...story,
        t0: { ...story.t0, 'docs/errors.md': 'Cross-reference stream\n   encodes no entry data.' },
      }),
      [],
    );
  });

  test('is silent when the test asks for the class alone', async () => {
    assert.deepEqual(
      await undisclosed({
        ...story,
        tests: {
          'tests/test_reader.py':
            'import pytest\nfrom reader import PdfReadError, read\n\ndef test_empty():\n    with pytest.raises(PdfReadError):\n        read(b"/W [0 0 0]")\n',
        },
      }),
      [],
    );
  });
});

describe('Python demands', () => {
  const cases: [string, Case, string[]][] = [
    [
      'an imported function',
      py('def clamp_range(a):\n    return a\n', 'from a import clamp_range\n'),
      ['name clamp_range'],
    ],
    [
      'one imported over several lines',
      py('def clamp_range(a):\n    return a\n', 'from a import (\n    other,\n    clamp_range,\n)\n'),
      ['name clamp_range'],
    ],
    [
      'a new module',
      {
        reference: { 'src/pkg/clamping.py': 'x = 1\n' },
        tests: { 'tests/test_a.py': 'from pkg.clamping import x\n' },
        t0: { 'src/pkg/__init__.py': 'x = 0\n' },
      },
      ['name clamping'],
    ],
    [
      'an attribute',
      py(
        'class A:\n    def __init__(self):\n        self.upper_bound = 1\n',
        'def test_a(a):\n    assert a.upper_bound == 1\n',
      ),
      ['name upper_bound'],
    ],
    [
      'a method',
      py('class A:\n    def clamp_all(self):\n        return 1\n', 'def test_a(a):\n    a.clamp_all()\n'),
      ['name clamp_all'],
    ],
    [
      'a keyword argument',
      py('def f(a, *, upper_bound=None):\n    return a\n', 'def test_a():\n    f(1, upper_bound=3)\n', {
        t0: { 'b.py': 'def f(a): pass\n' },
      }),
      ['name upper_bound'],
    ],
    [
      'a field of a data class as a keyword',
      py('class A:\n    upper_bound: int = 1\n', 'def test_a():\n    A(upper_bound=3)\n', {
        t0: { 'b.py': 'class A: pass\n' },
      }),
      ['name upper_bound'],
    ],
    [
      'an exception class',
      py(
        'class RangeExceeded(ValueError):\n    pass\n',
        'def test_a():\n    with pytest.raises(errors.RangeExceeded):\n        f()\n',
      ),
      ['name RangeExceeded'],
    ],
    [
      'an option of the command line',
      py('parser.add_argument("--upper-bound")\n', 'def test_a():\n    main(["--upper-bound", "3"])\n'),
      ['literal --upper-bound'],
    ],
    [
      'a path to patch',
      py('def load_ranges():\n    return 1\n', 'def test_a(mocker):\n    mocker.patch("pkg.a.load_ranges")\n'),
      ['name load_ranges'],
    ],
    [
      'a keyword that is read from a dictionary',
      py('def f(**kw):\n    return kw.get("upper_bound")\n', 'def test_a():\n    f(upper_bound=3)\n', {
        t0: { 'b.py': 'def f(**kw): pass\n' },
      }),
      ['name upper_bound'],
    ],
    [
      'a literal that is compared',
      py('def f():\n    return "clamped"\n', 'def test_a():\n    assert f() == "clamped"\n', {
        t0: { 'b.py': 'def f(): pass\n' },
      }),
      ['literal clamped'],
    ],
    [
      'the fixed part of a formatted message',
      py(
        'def f(a):\n    raise ValueError(f"value {a} exceeds the upper bound")\n',
        'def test_a():\n    with pytest.raises(ValueError, match="exceeds the upper bound"):\n        f(1)\n',
        { t0: { 'b.py': 'def f(): pass\n' } },
      ),
      ['message exceeds the upper bound'],
    ],
    [
      'a message written in one piece by the test',
      py(
        'def f(a):\n    raise ValueError("value %s exceeds the upper bound" % a)\n',
        'def test_a():\n    assert str(error) == "value 3 exceeds the upper bound"\n',
        { t0: { 'b.py': 'def f(): pass\n' } },
      ),
      ['message exceeds the upper bound'],
    ],
    [
      'a new method of an old file',
      {
        t0: { 'a.py': 'class A:\n    def old(self):\n        return 1\n' },
        reference: {
          'a.py': 'class A:\n    def old(self):\n        return 1\n\n    def young(self):\n        return 2\n',
        },
        tests: { 'test_a.py': 'def test_a(a):\n    a.old()\n    a.young()\n' },
      },
      ['name young'],
    ],
  ];
  for (const [name, given, expected] of cases)
    test(name, async () => assert.deepEqual(await undisclosed(given), expected));
});

describe('what is no demand in Python', () => {
  const known = { t0: { 'b.py': 'def f(a): pass\nclass A: pass\n' } };
  const cases: [string, Case][] = [
    [
      'modules that the test itself imports',
      py(
        'import tempfile\nfrom importlib import metadata\n\ndef h(a):\n    return tempfile, metadata\n',
        'import tempfile\nfrom importlib import metadata\n\ndef test_a():\n    assert f(tempfile.mkdtemp(), metadata)\n',
        { t0: { 'b.py': 'from importlib import f' } },
      ),
    ],
    [
      'a name of the tests own',
      py(
        'def helper_range():\n    return 1\n',
        'def helper_range():\n    return 2\n\ndef test_a():\n    assert helper_range() == 2\n',
      ),
    ],
    [
      'a local variable with the name of one in the reference',
      py(
        'def f(a):\n    total_width = 1\n    return total_width\n',
        'def test_a():\n    total_width = 3\n    assert f(total_width)\n',
        known,
      ),
    ],
    [
      'an attribute that only a local variable of the reference is called like',
      py(
        'def f(a):\n    total_width = 1\n    return total_width\n',
        'def test_a(a):\n    assert a.total_width\n',
        known,
      ),
    ],
    [
      'an attribute that the test sets itself',
      py(
        'class B:\n    pass\n\ndef f(a):\n    return a.marker_value\n',
        'def test_a(a):\n    a.marker_value = 3\n',
        known,
      ),
    ],
    [
      'an input that the reference does not know',
      py(
        'def f(a):\n    return a.strip()\n',
        'def test_a():\n    assert f("some input text") == "some other text"\n',
        known,
      ),
    ],
    [
      'a name that T0 has',
      py('def f(a, upper_bound):\n    return a\n', 'def test_a():\n    f(1, upper_bound=2)\n', {
        t0: { 'b.py': 'upper_bound = 1\ndef f(): pass\n' },
      }),
    ],
    [
      'a name that the instruction tells',
      py('def clamp_range(a):\n    return a\n', 'from a import clamp_range\n', {
        instruction: 'Add `clamp_range(a)`.',
      }),
    ],
    [
      'what stands in comments and docstrings',
      py(
        'def f(a):\n    """See clamp_range."""\n    # clamp_range\n    return a\n',
        'def test_a():\n    x.clamp_range\n',
        known,
      ),
    ],
    [
      'an API of a library that both begin to use',
      py(
        'import numpy\n\ndef f(a):\n    return numpy.isclose(a, 1)\n',
        'def test_a():\n    assert numpy.isclose(f(1), 1)\n',
        { t0: { 'b.py': 'def f(a): return numpy\n' } },
      ),
    ],
    [
      'short words that happen to be the same',
      py('def f(a):\n    return {"id": 1, "abc": 2}\n', 'def test_a():\n    assert f("abc")\n', known),
    ],
    [
      'a sentence that happens to hold a word of the reference',
      py('def f(a):\n    return "width"\n', 'def test_a():\n    assert f("the width of the page")\n', known),
    ],
    [
      'lines of the tests that were there before',
      {
        t0: { 'test_a.py': 'def test_a(a):\n    a.clamp_all()\n' },
        reference: { 'a.py': 'class A:\n    def clamp_all(self): pass\n' },
        tests: { 'test_a.py': 'def test_a(a):\n    a.clamp_all()\n\ndef test_b(a):\n    assert a\n' },
      },
    ],
  ];
  for (const [name, given] of cases) test(name, async () => assert.deepEqual(await undisclosed(given), []));
});

describe('patternTexts', () => {
  const cases: [string, string[]][] = [
    ['^Trailer: Cross\\-reference \\(v1\\)\\.$', ['Trailer: Cross-reference (v1).']],
    ['cannot read .* at line \\d+', ['cannot read ', ' at line ']],
    ['(?:cannot|can not) read', ['cannot', 'can not', ' read']],
    ['[Cc]annot read', ['annot read']],
  ];
  for (const [pattern, texts] of cases)
    test(pattern, () =>
      assert.deepEqual(
        patternTexts(pattern).filter((text) => text.trim() !== ''),
        texts,
      ),
    );
});

test('the tokens of T0: every text file, names of files, no link, no git data, no binary', async () => {
  const directory = tree({
    'a/read_xref.py': 'def alpha(): pass\n',
    'b.md': 'beta — gamma\n',
    '.git/config': 'delta\n',
    'c.bin': 'epsilon\0',
  });
  symlinkSync(tree({ 'zeta.py': 'zeta\n' }), join(directory, 'link'));
  const tokens = await readT0Tokens(directory);
  for (const known of ['alpha', 'beta', 'gamma', 'read_xref', 'def']) assert.ok(tokens.has(known), known);
  for (const unknown of ['delta', 'epsilon', 'zeta']) assert.ok(!tokens.has(unknown), unknown);
  assert.ok(tokens.holds('beta —\n gamma'));
  assert.ok(!tokens.holds('gamma beta'));
});
