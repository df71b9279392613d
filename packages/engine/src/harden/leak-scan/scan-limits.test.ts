import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { LeakNeedle } from './needle.ts';
import { dropNeedlesIn, leakNeedles, scanForLeaks, scanRoots } from './scan-for-leaks.ts';
import { scanToolchain } from './scan-toolchain.ts';

const scratch = mkdtempSync(join(tmpdir(), 'assay-limits-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;
const fresh = (files: Record<string, string | Buffer> = {}): string => {
  const directory = join(scratch, String((count += 1)));
  mkdirSync(directory);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  return directory;
};
const change = (path: string, text: string): ChangeSet => ({
  files: [{ path, content: Buffer.from(text), executable: false }],
  deleted: [],
});
const box = (directory: string): [{ label: string; directory: string }] => [{ label: 'box', directory }];

const LINES: LeakNeedle['lines'] = [
  'remaining = window.capacity - window.used_entries',
  'if remaining < minimum_for(caller):',
  'raise QuotaExceeded(caller, remaining)',
];
const NEEDLE: LeakNeedle = { origin: 'reference:limit.py', lines: LINES };

describe('needles', () => {
  const needlesOf = async (before: Record<string, string>, path: string, after: string): Promise<string[][]> =>
    (await leakNeedles(change(path, after), fresh(before), 'reference')).map(({ lines }) => lines);

  test('each window of three added lines, white space aside', async () => {
    const added = [...LINES, 'return None'];
    assert.deepEqual(
      await needlesOf({ 'a.py': 'x = 1\n' }, 'a.py', `x = 1\n${added.map((line) => `\t${line}  `).join('\r\n\r\n')}\n`),
      [LINES, added.slice(1)],
    );
  });

  test('not two added lines beside old ones', async () => {
    assert.deepEqual(await needlesOf({ 'a.py': `${LINES[0]}\nend\n` }, 'a.py', `${LINES.join('\n')}\nend\n`), []);
  });

  test('not lines of less than 80 characters together', async () => {
    assert.deepEqual(
      await needlesOf({}, 'a.py', 'a = first(value)\nb = second(value)\nreturn combine(a, b, value)\n'),
      [],
    );
  });

  test('not what T0 says elsewhere, in whatever form', async () => {
    assert.deepEqual(
      await needlesOf({ 'docs/limits.md': `Write:\n\n> ${LINES.join('\n> ')}\n` }, 'a.py', `${LINES.join('\n')}\n`),
      [],
    );
    assert.equal(
      (
        await needlesOf(
          { 'docs/limits.md': `Write:\n\n> ${LINES.slice(1).join('\n> ')}\n` },
          'a.py',
          `${LINES.join('\n')}\n`,
        )
      ).length,
      1,
    );
  });

  test('not imports alone', async () => {
    const imports = [
      "const assert = require('node:assert');",
      "const { readFileSync } = require('node:fs');",
      "const path = require('node:path');",
    ];
    assert.deepEqual(await needlesOf({}, 'a.js', imports.join('\n')), []);
    assert.equal(
      (
        await needlesOf(
          {},
          'a.js',
          [...imports, 'const limit = readFileSync(path.join(root, "limit")).length;'].join('\n'),
        )
      ).length,
      1,
    );
  });

  test('binary content and a link in T0 give none and fail nothing', async () => {
    const t0 = fresh();
    symlinkSync('/etc/passwd', join(t0, 'a.py'));
    const needles = await leakNeedles(
      {
        files: [
          { path: 'a.bin', content: Buffer.from([0, 1, 2, 0]), executable: false },
          ...change('a.py', LINES.join('\n')).files,
        ],
        deleted: [],
      },
      t0,
      'test',
    );
    assert.deepEqual(needles, [{ origin: 'test:a.py', lines: LINES }]);
  });

  test('dropNeedlesIn keeps what stands nowhere', async () => {
    const other: LeakNeedle = {
      origin: 'x',
      lines: [
        'one line of the other needle, long enough',
        'two lines of the other needle',
        'three lines of the other needle',
      ],
    };
    assert.deepEqual(await dropNeedlesIn([NEEDLE, other], box(fresh({ 'a.txt': LINES.join('\n') }))), [other]);
  });
});

describe('what is no leak', () => {
  const cases: Record<string, string> = {
    'two lines': `${LINES[0]}\n${LINES[1]}\n`,
    'the first and the last line': `${LINES[0]}\nsomething of its own\n${LINES[2]}\n`,
    'the same words with other operators': LINES.join('\n').replace('<', '<='),
    'another order': `${LINES[1]}\n${LINES[0]}\n${LINES[2]}\n`,
    'one word more': LINES.join('\n').replace('if remaining', 'if not remaining'),
    'far apart': LINES.join(`\n${'another line of prose\n'.repeat(40)}`),
  };
  for (const [name, text] of Object.entries(cases)) {
    test(name, async () => assert.deepEqual(await scanForLeaks([NEEDLE], box(fresh({ 'a.txt': text }))), []));
  }

  test('punctuation that differs, when a line is nothing but punctuation', async () => {
    const needle: LeakNeedle = {
      origin: 'x',
      lines: ['remaining = window.capacity - window.used_entries + (', 'minimum_for(caller, remaining, window)', ')'],
    };
    assert.equal((await scanForLeaks([needle], box(fresh({ 'a.txt': needle.lines.join('\n') })))).length, 1);
    assert.deepEqual(
      await scanForLeaks([needle], box(fresh({ 'a.txt': `${needle.lines[0]}\n${needle.lines[1]}\nelse:\n` }))),
      [],
    );
  });
});

test('lines without any ASCII word are found too', async () => {
  const lines: LeakNeedle['lines'] = [
    '「残りの容量が最小値より少ない場合は、呼び出し元に通知する」、',
    '「窓の容量は、経過時間に応じて補充されるものとする」、',
    '「正午まで待つこと」',
  ];
  const needle = { origin: 'test:a.py', lines };
  assert.equal((await scanForLeaks([needle], box(fresh({ 'a.txt': `x\n  ${lines.join('\n  ')}` })))).length, 1);
  assert.equal(
    (await scanForLeaks([needle], box(fresh({ 'a.txt': Buffer.from(`\ufeff${lines.join('\n')}`, 'utf16le') })))).length,
    1,
  );
  assert.deepEqual(await scanForLeaks([needle], box(fresh({ 'a.txt': `${lines[0]}\n${lines[1]}` }))), []);
});

test('a leak is told once for each place and origin, by its innermost place', async () => {
  const second: LeakNeedle = {
    origin: 'reference:limit.py',
    lines: [LINES[1], LINES[2], 'return remaining_for(caller)'],
  };
  const directory = fresh({ 'in/a.txt': [...LINES, 'return remaining_for(caller)'].join('\n') });
  execFileSync('tar', ['cf', 'a.tar', 'in'], { cwd: directory });
  const leaks = await scanForLeaks([NEEDLE, second], box(directory));
  assert.deepEqual(leaks.map(({ where, runs }) => `${where} ${runs}`).sort(), [
    'box/a.tar!in/a.txt 2',
    'box/in/a.txt 2',
  ]);
});

describe('bounds', () => {
  test('no link is followed, no pipe opened', async () => {
    const directory = fresh();
    const outside = fresh({ 'a.txt': LINES.join('\n') });
    symlinkSync(outside, join(directory, 'directory'));
    symlinkSync(join(outside, 'a.txt'), join(directory, 'file'));
    symlinkSync('.', join(directory, 'circle'));
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    assert.deepEqual(await scanForLeaks([NEEDLE], box(directory)), []);
  });

  test('an expansion bomb ends, and is told', async () => {
    const zeros = Buffer.alloc(50 * 1024 * 1024);
    const report = await scanRoots(
      [NEEDLE],
      box(fresh({ 'a.gz': gzipSync(zeros), 'b.zst': zstdCompressSync(zeros) })),
      { limits: { expandedBytes: 1024 * 1024 } },
    );
    assert.deepEqual(
      report.unreadable.map(({ where }) => where),
      ['box/a.gz', 'box/b.zst'],
    );
    assert.match(report.unreadable[0]?.reason ?? '', /beyond/);
  });

  test('containers in containers end, and are told', async () => {
    let nested = gzipSync(LINES.join('\n'));
    for (let depth = 0; depth < 12; depth += 1) nested = gzipSync(nested);
    const report = await scanRoots([NEEDLE], box(fresh({ 'a.gz': nested })));
    assert.match(report.unreadable[0]?.reason ?? '', /nested deeper/);
    assert.equal(
      (await scanRoots([NEEDLE], box(fresh({ 'a.gz': nested })), { limits: { depth: 20 } })).leaks.length,
      1,
    );
  });

  test('what cannot be opened is told: foreign, encrypted, damaged, too large', async () => {
    const directory = fresh({
      'a.7z': Buffer.from('7z\xbc\xaf\x27\x1c\0\x04', 'latin1'),
      'b.xz': Buffer.from('\xfd7zXZ\0garbage', 'latin1'),
      'plain.txt': 'x'.repeat(1000),
      'p.pack': Buffer.from('PACK\0\0\0\x02\0\0\0\x09garbage', 'latin1'),
    });
    execFileSync('zip', ['-q', '-P', 'secret', 'c.zip', 'plain.txt'], { cwd: directory });
    const { unreadable } = await scanRoots([NEEDLE], box(directory), { limits: { fileBytes: 900 } });
    const reasons = new Map(unreadable.map(({ where, reason }) => [where, reason]));
    assert.match(reasons.get('box/a.7z') ?? '', /7-Zip/);
    assert.match(reasons.get('box/b.xz!xz') ?? '', /damaged/);
    assert.match(reasons.get('box/c.zip!plain.txt') ?? '', /encrypted/);
    assert.match(reasons.get('box/plain.txt') ?? '', /larger/);
    assert.match(reasons.get('box/p.pack') ?? '', /git pack/);
  });

  test('skip leaves out a directory with all that is below', async () => {
    const directory = fresh({ 'a/b/c.txt': LINES.join('\n') });
    assert.deepEqual(await scanForLeaks([NEEDLE], box(directory), { skip: (where) => where === 'box/a' }), []);
  });

  test('a signal ends it', async () => {
    const directory = fresh({ 'a.txt': 'x' });
    await assert.rejects(
      scanForLeaks([NEEDLE], box(directory), { signal: AbortSignal.abort() }),
      (error) => AssayError.is(error) && error.code === 'INTERRUPTED',
    );
  });

  test('hostile bytes behind every mark fail nothing', async () => {
    const marks = [
      '\x1f\x8b\x08\0',
      'PK\x03\x04',
      'PK\x05\x06',
      'PACK\0\0\0\x02\xff\xff\xff\xff',
      '\xfd7zXZ\0',
      'BZh91AY&SY',
      '\x28\xb5\x2f\xfd',
      '# v2 git bundle\n',
      'SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20',
      'x\x9c',
      '\xa7\r\r\n',
      '\xff\xfe',
      '!<arch>\n',
    ];
    let seed = 1;
    const noise = (length: number): Buffer =>
      Buffer.from(Array.from({ length }, () => ((seed = (seed * 1103515245 + 12345) % 2147483648) >> 16) & 255));
    const files: Record<string, Buffer> = {};
    for (const [index, mark] of marks.entries())
      for (const length of [0, 5, 100, 3000])
        files[`${index}-${length}`] = Buffer.concat([Buffer.from(mark, 'latin1'), noise(length)]);
    const directory = fresh(files);
    const report = await scanRoots([NEEDLE], box(directory));
    assert.deepEqual(report.leaks, []);
    assert.equal(report.files, marks.length * 4);
  });
});

describe('scanToolchain', () => {
  const options = (
    directory: string,
    masked: string[] = [],
  ): { roots: { label: string; directory: string }[]; masked: string[] } => ({
    roots: [{ label: '/opt/tool', directory }],
    masked,
  });

  test('finds what is there, once from the files and then from the cache, and sees a change', async () => {
    const cache = fresh();
    const directory = fresh({ 'lib/a.py': 'nothing of interest\n', 'lib/b.py': 'neither\n' });
    assert.deepEqual(await scanToolchain([NEEDLE], cache, options(directory)), []);
    writeFileSync(join(directory, 'lib/b.py'), LINES.join('\n'));
    const leaks = await scanToolchain([NEEDLE], cache, options(directory));
    assert.deepEqual(
      leaks.map(({ where }) => where),
      ['/opt/tool/lib/b.py'],
    );
    assert.deepEqual(await scanToolchain([NEEDLE], cache, options(directory)), leaks);
  });

  test('reads again only what changed, even when its size and its own time say otherwise', async () => {
    const cache = fresh();
    const directory = fresh({ 'a.py': 'x'.repeat(LINES.join('\n').length) });
    utimesSync(join(directory, 'a.py'), 1000, 1000);
    await scanToolchain([NEEDLE], cache, options(directory));
    const before = readdirSync(join(cache, 'layers'));
    await scanToolchain([{ ...NEEDLE, origin: 'another' }], cache, options(directory));
    assert.deepEqual(readdirSync(join(cache, 'layers')), before);
    writeFileSync(join(directory, 'a.py'), LINES.join('\n'));
    utimesSync(join(directory, 'a.py'), 1000, 1000);
    assert.equal((await scanToolchain([NEEDLE], cache, options(directory))).length, 1);
  });

  test('leaves out what no sandbox sees', async () => {
    const directory = fresh({ 'local/a.py': LINES.join('\n') });
    assert.deepEqual(await scanToolchain([NEEDLE], fresh(), options(directory, [join(directory, 'local')])), []);
    assert.equal((await scanToolchain([NEEDLE], fresh(), options(directory))).length, 1);
  });

  test('finds leaks in archives and short lines too', async () => {
    const short: LeakNeedle = {
      origin: 'test:b.py',
      lines: ['"the-quota-of-the-burst-window",', '"remaining-requests-are-refused",', '"until-noon-of-the-next-day"'],
    };
    const words: LeakNeedle = {
      origin: 'test:c.py',
      lines: ['quotaOfTheBurstWindowIsUsedUp', 'remainingRequestsAreRefusedUntilNoon', 'theCallerIsTold'],
    };
    const directory = fresh({
      'a.gz': gzipSync(`${LINES.join('\n')}\n${short.lines.join('\n')}\n${words.lines.join('\n')}\n`),
    });
    const leaks = await scanToolchain([NEEDLE, short, words], fresh(), options(directory));
    assert.deepEqual(leaks.map(({ origin }) => origin).sort(), ['reference:limit.py', 'test:b.py', 'test:c.py']);
  });
});
