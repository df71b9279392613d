import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellingText } from './telling-text.ts';

const noise = (word: string): string => Array.from({ length: 60 }, (_, index) => `${word} ${index}`).join('\n');

const CASES: [title: string, output: string, kept: string[]][] = [
  [
    'npm, whose last lines say where the log lies',
    `npm error code ERESOLVE\nnpm error While resolving: demo@1.0.0\n${noise('npm error node_modules/x')}\nnpm error A complete log of this run can be found in: /tmp/x.log`,
    ['ERESOLVE', 'While resolving: demo@1.0.0'],
  ],
  [
    'a compiler before pages of its caller',
    `${noise('gyp info spawn args')}\n../src/a.cc:3:10: fatal error: png.h: No such file or directory\n${noise('gyp ERR! stack at')}\ngyp ERR! not ok`,
    ['png.h: No such file or directory', 'not ok'],
  ],
  [
    'a traceback, which concludes with the cause',
    `Traceback (most recent call last):\n  File "setup.py", line 1\n    raise ValueError(text)\n${noise('  File')}\nValueError: no version is told`,
    ['ValueError: no version is told'],
  ],
  [
    'a loader that names a long path',
    `${noise('compiling')}\n\u001b[31mError: Cannot find module '/workspace/${'deep/'.repeat(60)}lib.js'\u001b[39m imported from /workspace/test/a.test.js\n${noise('    at Module')}`,
    ["Error: Cannot find module '/workspace/deep/"],
  ],
  ['no cause at all', `${noise('line')}\nkilled`, ['killed']],
];

for (const [title, output, kept] of CASES)
  test(`what went wrong is told: ${title}`, () => {
    const told = tellingText(output, 400);
    assert.ok(told.length <= 400, String(told.length));
    assert.ok(!told.includes('\n') && !told.includes('\u001b'));
    for (const text of kept) assert.ok(told.includes(text), told);
  });

test('a short text is told whole', () => {
  assert.equal(
    tellingText('0 errors\nneeds the moon\nerror: failed to build\n  exit status 1\n', 200),
    '0 errors | needs the moon | error: failed to build | exit status 1',
  );
  assert.equal(tellingText('', 200), '');
});

test('of a flood its begin and its end are told, whatever it consists of', () => {
  for (const unit of ['x', 'x ', '=', '/a', 'line\n']) {
    const flood = unit.repeat(4_000_000 / unit.length);
    const told = tellingText(`Error: the first\n${flood}\nthe last`, 400);
    assert.ok(told.length <= 400 && told.startsWith('Error: the first') && told.endsWith('the last'), told);
  }
});
