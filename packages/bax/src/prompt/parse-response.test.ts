import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseAsUpstream } from './parse-as-upstream.ts';
import { parseResponse } from './parse-response.ts';
import { RESPONSES, type Expected } from './responses.fixture.ts';

const ONE = { codeFile: 'app.py', language: 'Python' } as const;
const SEVERAL = { codeFile: null, language: 'Python' } as const;

interface Recorded {
  files: 'one' | 'several';
  response: string;
  expected: Record<string, string> | null;
}

function assertParsed(
  response: string,
  form: typeof ONE | typeof SEVERAL,
  profile: 'strict' | 'upstream',
  expected: Expected,
): void {
  const parsed = parseResponse(response, form, profile);
  if (expected instanceof RegExp) {
    assert.ok('invalid' in parsed, JSON.stringify('files' in parsed ? [...parsed.files] : null));
    assert.match(parsed.invalid, expected);
    assert.doesNotMatch(parsed.invalid, /\n/);
    return;
  }
  const files = typeof expected === 'string' ? { 'app.py': expected } : expected;
  assert.deepEqual('files' in parsed ? Object.fromEntries(parsed.files) : parsed, files);
}

describe('answers, as each profile reads them', () => {
  for (const [name, response, form, upstream, strict = upstream] of RESPONSES) {
    test(name, () => {
      assertParsed(response, form === 'one' ? ONE : SEVERAL, 'upstream', upstream);
      assertParsed(response, form === 'one' ? ONE : SEVERAL, 'strict', strict);
    });
  }

  test('there are 60 of them and more, and the profiles differ in many', () => {
    assert.ok(RESPONSES.length >= 60, String(RESPONSES.length));
    assert.ok(RESPONSES.filter((row) => row.length === 5).length >= 30);
  });
});

test("upstream's parser was given 320 answers, and the profile upstream finds what it found", () => {
  const cases: Recorded[] = JSON.parse(
    readFileSync(new URL('__fixtures__/upstream-parser.json', import.meta.url), 'utf8'),
  );
  assert.equal(cases.length, 320);
  for (const { files, response, expected } of cases) {
    const parsed = parseAsUpstream(response, files === 'one' ? ONE : SEVERAL);
    assert.deepEqual('files' in parsed ? Object.fromEntries(parsed.files) : null, expected, JSON.stringify(response));
  }
});

describe('what is too much is refused, and in time that grows with the length', () => {
  const limits: [string, string, RegExp][] = [
    ['too long', 'x'.repeat(4 * 1024 * 1024 + 1), /longer than 4194304 bytes/],
    [
      'too many files',
      Array.from(
        { length: 501 },
        (_, index) => `<FILEPATH>\nf${String(index)}\n</FILEPATH>\n<CODE>\nx\n</CODE>\n`,
      ).join(''),
      /501 files/,
    ],
    [
      'a component of 256 bytes',
      `<FILEPATH>\n${'é'.repeat(128)}\n</FILEPATH>\n<CODE>\nx\n</CODE>\n`,
      /component is too long/,
    ],
    ['a path of 6000 bytes', `<FILEPATH>\n${'a/'.repeat(3000)}b\n</FILEPATH>\n<CODE>\nx\n</CODE>\n`, /is too long/],
  ];
  for (const [name, response, reason] of limits) {
    for (const profile of ['strict', 'upstream'] as const) {
      test(`${profile}: ${name}`, () => {
        assertParsed(response, SEVERAL, profile, reason);
      });
    }
  }

  // each would take hours where a pattern looks at the rest of the text from every place
  const floods = [
    '```py\n',
    '<CODE>',
    '<FILEPATH>',
    '###\n',
    '### ',
    ' ',
    '\n',
    '`',
    '**',
    '</CODE>',
    '~~~',
    '```a`',
    '<CODE>\n',
    '```\n',
    '# *',
  ];
  for (const flood of floods) {
    test(`4 MiB of ${JSON.stringify(flood)}`, () => {
      const response = `${flood.repeat(Math.floor((4 * 1024 * 1024 - 10) / flood.length))}x`;
      for (const profile of ['strict', 'upstream'] as const)
        for (const form of [ONE, SEVERAL]) assert.ok(parseResponse(response, form, profile));
    });
  }
});
