import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findResidue, isThin, quotesGold, scrubInstruction, type ScrubContext } from './scrub-instruction.ts';

const GOLD = 'raise PdfReadError("Cross-reference stream encodes no entry data.")';
const CONTEXT: ScrubContext = {
  projectNames: ['pypdf', 'py-pdf'],
  knownTestNames: ['tests/test_reader.py', 'test_read_empty_xref'],
  goldLines: [GOLD, 'return None'],
};
const scrub = (message: string): { title: string; body: string } => scrubInstruction(message, CONTEXT);
const whole = (message: string): string => {
  const { title, body } = scrub(message);
  return `${title}\n\n${body}`.trim();
};

/**
 * Families of residue, each with the letters and digits that must not be readable afterwards. They are checked without
 * the patterns under test.
 */
const FAMILIES: Record<string, string> = {
  '#3791': '3791',
  '(#3791)': '3791',
  'GH-3791': '3791',
  'gh-3791': '3791',
  'py-pdf/pypdf#3791': '3791',
  'pypdf#3791': '3791',
  'PR 3791': '3791',
  'PR #3791': '3791',
  'pull request 3791': '3791',
  'issue 3791': '3791',
  'Issue #3791': '3791',
  'issues #3791, #3792 and #3793': '379',
  'closes #3791': '3791',
  'fixes: #3791': '3791',
  '!3791': '3791',
  'MR !3791': '3791',
  'bpo-37910': '37910',
  'PDFLIB-3791': '3791',
  'ticket 3791': '3791',
  '[#3791](https://github.com/py-pdf/pypdf/pull/3791)': '3791',
  '[the discussion](https://github.com/py-pdf/pypdf/pull/3791)': '3791',
  '[here](https://t.co/x3791y "title")': 'x3791y',
  'https://github.com/py-pdf/pypdf/pull/3791': '3791',
  'https://github.com/py-pdf/pypdf/compare/main...x3791': '3791',
  'https://github.com/py-pdf/pypdf/releases/tag/r3791': '3791',
  'https://gitlab.com/a/b/-/merge_requests/3791': '3791',
  'http://bitbucket.org/a/b/pull-requests/3791': '3791',
  '<https://bugs.launchpad.net/bugs/3791>': '3791',
  'github.com/py-pdf/pypdf/pull/3791': '3791',
  'www.pypdf-project.org/3791': '3791',
  'hxxps://github[.]com/py-pdf/pypdf/pull/3791': '3791',
  'https://www.google.com/url?q=https%3A%2F%2Fgithub.com%2Fa%2Fb%2Fpull%2F3791': '3791',
  'http://example.com/?u=https://github.com/a/b/pull/3791': '3791',
  'git@github.com:py-pdf/pypdf3791.git': '3791',
  'py-pdf/pypdf/pull/3791': '3791',
  '<a href="https://github.com/a/b/issues/3791">this one</a>': '3791',
  '1f3c9a7': '1f3c9a7',
  '1f3c9a7b2d': '1f3c9a7b2d',
  'commit 1f3c9a7': '1f3c9a7',
  '9d2f5b1c7e3a4f60718293a4b5c6d7e8f9012345': '9d2f5b1c7e3a4f60',
  'py-pdf/pypdf@1f3c9a7b2': '1f3c9a7b2',
  'commit 1234567': '1234567',
  'v5.9.1-3-g1f3c9a7': '1f3c9a7',
  'v6.1.2': '612',
  'V6.1': '61',
  '6.1.2': '612',
  '6.1.2rc1': '612',
  '6.1.x': '61x',
  'fixed in 6.1.2': '612',
  'fixed in 6.1': '61',
  '< 6.1.2': '612',
  'affects < 6.1': '61',
  'affected versions < 6.1': '61',
  'pypdf < 6.1': '61',
  'pypdf 6.1': '61',
  'pypdf==6.1': '61',
  '>=5.0,<6.1.2': '612',
  '^6.1.0': '610',
  'version 6.1': '61',
  'since version 6': 'version6',
  'upgrade to 6.1': '61',
  'prior to 6.1.2': '612',
  'CVE-2026-48156': '48156',
  'CVE 2026 48156': '48156',
  'cve-2026-48156': '48156',
  'GHSA-jfx9-29x2-rv3j': 'jfx9',
  'PYSEC-2026-112': '2026112',
  'RUSTSEC-2026-0012': '0012',
  'SNYK-PYTHON-PYPDF-6097493': '6097493',
  'OSV-2026-1234': '1234',
  'GO-2026-1234': '1234',
  'DSA-5123-1': '5123',
  'VU#123456': '123456',
  '@octocat': 'octocat',
  'jane.doe@corp.io': 'corpio',
  'Jane Doe <jane@corp.io>': 'corpio',
  'reported by Jane Doe': 'doe',
  'Thanks to Jane Doe': 'doe',
  test_read_empty_xref: 'emptyxref',
  'tests/test_reader.py::test_read_empty_xref': 'testreader',
};

const OBFUSCATIONS: Record<string, (text: string) => string> = {
  none: (text) => text,
  'zero-width characters': (text) => [...text].join('\u200b'),
  'a soft hyphen and a joiner': (text) => `${text.slice(0, 2)}\u00ad\u200d${text.slice(2)}`,
  'direction controls': (text) => `\u202e\u2066${text}\u2069\u202c`,
  'tag characters': (text) => `${text.slice(0, -1)}\u{e0041}\u{e007f}${text.slice(-1)}`,
  'decimal entities': (text) => text.replace(/[#\d@]/g, (character) => `&#${character.charCodeAt(0)};`),
  'hexadecimal entities': (text) =>
    text.replace(/[#\d@.]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`),
  'full-width forms': (text) =>
    text.replace(/[#!\d@]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
  'other hyphens': (text) => text.replaceAll('-', '\u2011'),
  'Markdown escapes': (text) => text.replace(/[#!@]/g, '\\$&'),
  bold: (text) => `**${text}**`,
  code: (text) => `\`${text}\``,
  brackets: (text) => `[${text}]`,
};

const SETTINGS: Record<string, (text: string) => string> = {
  'in the title': (text) => `Reader hangs on zero widths ${text}`,
  'at the head of the title': (text) => `${text}: Reader hangs on zero widths`,
  'in parentheses': (text) => `Reader hangs\n\nThe reader hangs (see ${text}) when all widths are zero.`,
  'at the end of a sentence': (text) =>
    `Reader hangs\n\nThe reader hangs when all widths are zero, as described in ${text}.`,
  'at the head of a sentence': (text) => `Reader hangs\n\nAs of ${text}, the reader hangs when all widths are zero.`,
  'over a line end': (text) => `Reader hangs\n\nThe reader hangs when all widths are zero, see\n${text} and so on.`,
  'in a list': (text) => `Reader hangs\n\n- the reader hangs when all widths are zero\n- ${text}\n`,
  'on a line of its own': (text) => `Reader hangs\n\nThe reader hangs when all widths are zero.\n\n${text}\n`,
  'as a trailer': (text) =>
    `Reader hangs\n\nThe reader hangs when all widths are zero.\n\nFixes: ${text}\nRefs: ${text}`,
  'in a comment': (text) => `Reader hangs\n\nThe reader hangs when all widths are zero.<!-- ${text} -->`,
  'in a code block': (text) =>
    `Reader hangs\n\nThe reader hangs when all widths are zero.\n\n\`\`\`\n# ${text}\n\`\`\`\n`,
};

/** In code, `@name` is a decorator. */
const isMeant = (family: string, obfuscation: string): boolean => !(family === '@octocat' && obfuscation === 'code');

const squeeze = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

describe('no reference survives, however it is written', () => {
  for (const [family, secret] of Object.entries(FAMILIES)) {
    test(family, () => {
      for (const [obfuscation, disguise] of Object.entries(OBFUSCATIONS)) {
        if (!isMeant(family, obfuscation)) continue;
        for (const [setting, put] of Object.entries(SETTINGS)) {
          const text = whole(put(disguise(family)));
          const told = `${obfuscation}, ${setting}: ${JSON.stringify(text)}`;
          assert.ok(!squeeze(text).includes(secret), told);
          assert.deepEqual(findResidue(text, CONTEXT), [], told);
          assert.match(text, /hangs/, told);
        }
      }
    });
    test(`${family} is residue`, () => {
      // Positive control: without the scrubber, the residue is noticed.
      for (const [obfuscation, disguise] of Object.entries(OBFUSCATIONS)) {
        if (isMeant(family, obfuscation))
          assert.notDeepEqual(findResidue(`Reader hangs, see ${disguise(family)} for it`, CONTEXT), [], obfuscation);
      }
    });
  }
});

describe('what is harmless survives', () => {
  const harmless = [
    'C#7 and F#4 sources are not highlighted',
    'See the docs for what the option does',
    'Apply a limit to the number of entries',
    'Crashes on Python 3 and Python 3.11',
    'Decoding UTF-8 and utf8 and UTF-16LE and ISO-8859-1 input',
    'Returns HTTP 404 over HTTP/1.1 with TLS 1.2',
    'The mask 0x1f and the address 0xdeadbeef01 are lost',
    'The words deadbeef, defaced and effaced are hashed wrongly',
    'Connecting to 192.168.1.10 and ::1 on port 8080 fails',
    'Rounding 0.1 + 0.2 gives 0.30000000000000004',
    'When x < 0.5 the result is 1.5 times too large',
    'It waits 2.5 s instead of 0.5 seconds',
    'Parsing http://localhost:8080/a?b=1 loses the query',
    'Parsing https://user@example.com/path#3 loses the fragment',
    'The @property decorator and @types/node are ignored',
    'Mail to user@example.com is rejected',
    'A UUID such as 123e4567-e89b-12d3-a456-426614174000 is cut',
    'Colours such as #ff0000 and #fff are refused',
    'The number 12345678 is printed as 1.2345678e7',
    'SHA-256 and AES-128 and RFC-3339 and ES2015 are unknown',
    'An issue with the commit hook, a bug in the fix of the close button',
    'The list [1, 2, 3] and the slice a[1:2] and `!flag` and `@cached` and a != b',
    'Sort by version and release date, since the version is a string',
    'Step 3 of section 4.2 in chapter 1.2',
    'Windows 10 and Node.js 18.2 and macOS 13.1',
    'The header X-Request-Id: is dropped when it is empty',
    'Reports by country are empty, thanks to a wrong default',
    'The test command ignores the order of tests',
    '50% of 1.25 MB/s',
    '`foo(a, b)` raises `TypeError: expected 2 arguments`',
  ];
  for (const text of harmless) {
    test(text, () => {
      assert.equal(scrub(text).title, text);
      assert.equal(scrub(`A title that says something\n\n${text}.`).body, `${text}.`);
      assert.deepEqual(findResidue(text, CONTEXT), []);
    });
  }
});

describe('the frame of a commit message goes', () => {
  const titles: [string, string][] = [
    ['fix(parser): reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['fix!: reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['BUG: reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['[3.11] gh-3791: Reader hangs on zero widths (GH-3792)', 'Reader hangs on zero widths'],
    ['[BUG] Reader hangs on zero widths', 'Reader hangs on zero widths'],
    [':bug: Reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['🐛 fix: reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['Fix #3791: reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['Fixed #3791 -- Reader hangs on zero widths.', 'Reader hangs on zero widths'],
    ['Fix reader hanging on zero widths (#3791)', 'Fix reader hanging on zero widths'],
    ['Fix strict mode bug (#1321)', 'Fix strict mode bug'],
    ['parser: handle zero widths', 'Parser: handle zero widths'],
    ['fix(joinURL): handle a leading dot', 'joinURL: handle a leading dot'],
    ['Fix detection of names (fixes issue7, reported and initial patch by someone).', 'Fix detection of names'],
    ['Retain nodes when using set() in mappings (Fixes #185)', 'Retain nodes when using set() in mappings'],
  ];
  for (const [message, title] of titles) test(message, () => assert.equal(scrub(message).title, title));

  const bodies: [string, string, string][] = [
    [
      'trailers',
      'The reader hangs.\n\nSigned-off-by: Jane Doe <j@corp.io>\nCo-authored-by: X <x@corp.io>\nChange-Id: I1f3c9a7b2d\nReviewed-by: Y',
      'The reader hangs.',
    ],
    ['unknown trailers', 'The reader hangs.\n\nSprint-Goal: speed\nTeam-Name: core', 'The reader hangs.'],
    [
      'a wrapped paragraph',
      'The reader hangs\nwhen all widths\nare zero.',
      'The reader hangs when all widths are zero.',
    ],
    [
      'lines about tests and the changelog',
      'The reader hangs.\n\n- Add regression tests for it\n- Update CHANGELOG.md\n- [x] I have read the guide',
      'The reader hangs.',
    ],
    [
      'sections',
      'The reader hangs.\n\n## Solution\n\nCount the entries.\n\n## Expected behavior\n\nIt raises an error.\n\n### References\n\n- the specification',
      'The reader hangs.\n\n**Expected behavior**\n\nIt raises an error.',
    ],
    [
      'a code block that quotes the solution',
      `The reader hangs.\n\n\`\`\`python\nx = 1\n    ${GOLD}\n\`\`\``,
      'The reader hangs.',
    ],
    ['a sentence that quotes the solution', `The reader hangs. Now we \`${GOLD}\` there.`, 'The reader hangs.'],
    ['a patch', 'The reader hangs.\n\n```diff\n- a = 1\n+ a = 2\n```', 'The reader hangs.'],
    ['footnotes', 'The reader hangs [1].\n\n[1]: https://github.com/a/b/issues/1', 'The reader hangs.'],
    ['conflicts', 'The reader hangs.\n\nConflicts:\n\tsrc/a.py\n\tsrc/b.py', 'The reader hangs.'],
    [
      'what is left of a backport',
      'The reader hangs.\n\nfixes #906\nthis is a manual backport from #954',
      'The reader hangs.',
    ],
    [
      'a quoted message',
      '> The reader hangs\n> when all widths are zero.',
      'The reader hangs when all widths are zero.',
    ],
    [
      'a numbered list',
      'It reads:\n\n1. values of the command line\n2. values of the file\n\nTests were added accordingly.',
      'It reads:\n\n1. values of the command line\n2. values of the file',
    ],
    [
      'a squashed branch',
      '* fix: something hangs there\n\n* test: one more\n\n* format\n\n* fix: the reader waits for input',
      '* the reader waits for input',
    ],
    ['a merge', 'Merge pull request #12 from jane/fix-hang\n\nThe reader hangs.', 'The reader hangs.'],
    [
      'a cherry-pick',
      'The reader hangs.\n\n(cherry picked from commit 9d2f5b1c7e3a4f60718293a4b5c6d7e8f9012345)',
      'The reader hangs.',
    ],
    [
      'a code block that shows the symptom stays',
      'The reader hangs:\n\n```python\nPdfReader("a.pdf").pages\n```',
      'The reader hangs:\n\n```python\nPdfReader("a.pdf").pages\n```',
    ],
    [
      'a list stays a list',
      'It hangs when:\n\n- all widths are zero\n- the size is negative',
      'It hangs when:\n\n- all widths are zero\n- the size is negative',
    ],
  ];
  for (const [name, message, body] of bodies)
    test(name, () => assert.equal(scrub(`Something hangs there\n\n${message}`).body, body));

  test('what was removed is told, for the log', () => {
    assert.ok(scrubInstruction('Reader hangs (#3791)', CONTEXT).removed.includes('#3791'));
  });

  test('a hostile message takes no time', () => {
    for (const piece of [
      'a.',
      '[',
      '(',
      '`',
      '<!--',
      '&#',
      '1.',
      '@a',
      'by A',
      'fix ',
      '\u200b',
      '- ',
      'a/',
      '(see ',
    ]) {
      const text = whole(piece.repeat(50_000));
      assert.ok(text.length <= 10_000);
    }
  });
});

describe('isThin', () => {
  const thin: [string, string][] = [
    ['Fix bug', ''],
    ['fix', ''],
    ['Update tests', ''],
    ['Fix typo', ''],
    ['Fix typos in the docs of the parser', ''],
    ['Minor fixes and improvements', 'Some cleanup and more tests.'],
    ['Address review comments', ''],
    ['Handle None', ''],
    ['Fix indentation of option help', ''],
    ['Fix links in tests', ''],
    ['Refactor code', 'Clean up various things and make it work better.'],
    ['Fix regression', 'This fixes the regression and adds a test for it.'],
    ['', ''],
    ['wip', 'wip wip wip wip wip wip wip wip'],
  ];
  for (const [title, body] of thin) test(`thin: ${title} ${body}`, () => assert.equal(isThin(title, body), true));

  const telling: [string, string][] = [
    ['Fix crash when parsing an empty xref stream', ''],
    ['Stringify protocol-relative URLs', ''],
    ['Handle empty responses', ''],
    ['Raise TypeError instead of AttributeError for unhashable keys in groupby', ''],
    ['Do not lose the query string when redirecting to a trailing slash', ''],
    ['Fix `HelpFormatter.write_usage` producing spurious characters', ''],
    ['Fix parsing of INTO keyword in WHERE clauses', ''],
    ['parseURL: exclude hash from hostname match', ''],
    ['Fix bug', 'The parser drops the last character of a quoted field when the file has no final newline.'],
    ['parser', '`parse("a,b")` returns one field instead of two if the delimiter is a comma followed by a tab'],
  ];
  for (const [title, body] of telling)
    test(`says enough: ${title} ${body}`, () => assert.equal(isThin(title, body), false));
});

describe('quotesGold', () => {
  const change = {
    files: [
      {
        path: 'a.py',
        content: Buffer.from(`def read(self):\n    if widths == [0, 0, 0]:\n        ${GOLD}\n    return None\n`),
        executable: false,
      },
    ],
    deleted: [],
  };

  test('a line of the change, white space and a last colon aside', () => {
    assert.deepEqual(quotesGold(`Now\n   ${GOLD.replaceAll(' ', '   ')}`, change), [GOLD]);
    assert.deepEqual(quotesGold('when `if widths == [0, 0, 0]` holds', change), ['if widths == [0, 0, 0]:']);
  });

  test('not short or plain words that stand in it, and not the message of an error', () => {
    assert.deepEqual(
      quotesGold('It should return None, and say "Cross-reference stream encodes no entry data."', change),
      [],
    );
  });

  test('not what T0 says', () => {
    const before = (): Buffer => Buffer.from('def read(self):\n    if widths == [0, 0, 0]:\n        pass\n');
    assert.deepEqual(quotesGold('when `if widths == [0, 0, 0]` holds', change, before), []);
  });

  test('a long literal of a test', () => {
    const literal = `${'0123456789abcdef '.repeat(5)}end`;
    const tests = {
      files: [{ path: 'test_a.py', content: Buffer.from(`assert read("${literal}") == 3\n`), executable: false }],
      deleted: [],
    };
    assert.deepEqual(quotesGold(`Reading ${literal} fails`, tests), [literal]);
  });
});
