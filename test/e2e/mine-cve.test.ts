import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DatasetLedger, type MineResult } from '@assay/protocol';
import { makeCache, RepositoryBuilder } from '@assay/testkit';
import { assay, assertRefused, type Ended } from './assay-process.ts';

const PYPROJECT =
  '[build-system]\nrequires = ["setuptools>=61"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "inkpot"\nversion = "1.2.0"\nrequires-python = ">=3.8"\n\n[project.optional-dependencies]\ntest = ["pytest>=7"]\n\n[tool.setuptools]\npackages = ["inkpot"]\n';
const PALETTE =
  'def read_palette(data, width):\n    colours = []\n    while data:\n        colours.append(data[:width])\n        data = data[width:]\n        if len(colours) > 100000:\n            break\n    return colours\n';
const FIXED_PALETTE = PALETTE.replace(
  '    colours = []\n',
  '    if width < 1:\n        raise ValueError("a colour of the palette has no bytes")\n    colours = []\n',
);
const OWN_TESTS =
  'import pytest\nfrom inkpot.palette import read_palette\n\n\ndef test_reads_colours():\n    assert read_palette(b"abcd", 2) == [b"ab", b"cd"]\n\n\ndef test_reads_the_sample():\n    with open("tests/data/sample.pdf", "rb") as file:\n        assert read_palette(file.read(4), 4) == [b"%PDF"]\n';
const NEW_TESTS = `${OWN_TESTS}\n\ndef test_refuses_colours_without_bytes():\n    with pytest.raises(ValueError, match=r"^a colour of the palette has no bytes$"):\n        read_palette(b"abcd", 0)\n`;

const MERGE =
  'exports.merge = (target, source) => {\n  for (const key in source) {\n    if (typeof source[key] === "object" && typeof target[key] === "object") exports.merge(target[key], source[key]);\n    else target[key] = source[key];\n  }\n  return target;\n};\n';
const FIXED_MERGE = MERGE.replace(
  '  for (const key in source) {\n',
  '  for (const key in source) {\n    if (key === "__proto__") continue;\n',
);
const MERGE_TESTS =
  "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { merge } = require('../lib/merge.js');\n\ntest('merges deep', () => {\n  assert.deepStrictEqual(merge({ a: { b: 1 } }, { a: { c: 2 } }), { a: { b: 1, c: 2 } });\n});\n";
const NEW_MERGE_TESTS = `${MERGE_TESTS}\ntest('leaves the prototype of all objects alone', () => {\n  merge({}, JSON.parse('{"__proto__": {"inked": 1}}'));\n  assert.strictEqual({}.inked, undefined);\n});\n`;

/** Text that no file of a task may contain. */
const POINTERS = /CVE-|GHSA|PYSEC|2031|1\.2\.1|#77|pull\/|github|palette\.py|merge\.js#|Grace|example-reporter|0\.9/i;

describe('mining advisories', () => {
  let directory = '';
  let python: RepositoryBuilder;
  let node: RepositoryBuilder;
  const fix = { python: '', node: '' };
  const call = (...words: string[]): Promise<Ended> => assay(words, { env: { ASSAY_CACHE: join(directory, 'cache') } });
  const mine = (source: string, osv: string, out: string, ...more: string[]): Promise<Ended> =>
    call('mine', source, '--pipeline', 'cve_patches', '--osv', osv, '--out', join(directory, out), ...more);
  const write = async (name: string, value: unknown): Promise<string> => {
    await mkdir(join(directory, name, '..'), { recursive: true });
    await writeFile(join(directory, name), typeof value === 'string' ? value : JSON.stringify(value));
    return join(directory, name);
  };
  const documentOf = ({ stdout, stderr, exitCode }: Ended, expected: number): MineResult => {
    assert.equal(exitCode, expected, stderr + stdout);
    return JSON.parse(stdout);
  };

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-mine-cve-'));
    await makeCache(join(directory, 'cache'));
    python = await RepositoryBuilder.create(join(directory, 'inkpot'));
    await python.commit(
      'First',
      {
        'pyproject.toml': PYPROJECT,
        'inkpot/__init__.py': '',
        'inkpot/palette.py': PALETTE,
        'tests/test_palette.py': OWN_TESTS,
        'tests/data/sample.pdf': '%PDF-1.7\n',
      },
      { date: new Date('2024-05-02T10:00:00Z') },
    );
    fix.python = await python.commit('Refuse (#77)', {
      'inkpot/palette.py': FIXED_PALETTE,
      'tests/test_palette.py': NEW_TESTS,
    });
    node = await RepositoryBuilder.create(join(directory, 'blotter'));
    await node.commit(
      'First',
      {
        'package.json': JSON.stringify({
          name: 'blotter',
          version: '0.9.0',
          main: 'lib/merge.js',
          scripts: { test: 'node --test' },
        }),
        'lib/merge.js': MERGE,
        'test/merge.test.js': MERGE_TESTS,
      },
      { date: new Date('2024-05-02T10:00:00Z') },
    );
    fix.node = await node.commit('Skip the prototype', {
      'lib/merge.js': FIXED_MERGE,
      'test/merge.test.js': NEW_MERGE_TESTS,
    });
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const inkpot = (more: object = {}): object => ({
    schema_version: '1.6.0',
    id: 'GHSA-aaaa-bbbb-cccc',
    aliases: ['CVE-2031-1000'],
    summary: 'inkpot: reading a palette of empty colours takes very long (CVE-2031-1000)',
    details: `### Impact\nWhen the width of a colour is zero, \`read_palette\` goes through the same bytes over and over (inkpot/palette.py#L3). It should refuse such a palette with a ValueError instead. Affects inkpot < 1.2.1.\n\n### Patches\nFixed in 1.2.1 by https://github.com/ink/inkpot/pull/77.\n\n### Credits\nFound by Grace Example.`,
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:N/I:N/A:H' }],
    affected: [
      {
        package: { ecosystem: 'PyPI', name: 'inkpot' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2.1' }] }],
      },
    ],
    references: [{ type: 'WEB', url: 'https://github.com/ink/inkpot/pull/77' }],
    credits: [{ name: 'Grace Example' }],
    ...more,
  });
  const blotter = (): object => ({
    id: 'GHSA-dddd-eeee-ffff',
    summary: 'blotter merges into the prototype of all objects',
    details:
      'Merging parsed JSON with the key `__proto__` in blotter before 0.9.1 adds properties to every object. Upgrade to 0.9.1.',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'blotter' },
        ranges: [
          { type: 'GIT', repo: 'https://github.com/ink/blotter', events: [{ introduced: '0' }, { fixed: fix.node }] },
        ],
      },
    ],
  });

  async function assertNeutral(dataset: string, name: string): Promise<string> {
    for (const entry of await readdir(join(directory, dataset, name), { recursive: true }))
      assert.doesNotMatch(entry, /CVE|GHSA|PYSEC|2031/i);
    const instruction = await readFile(join(directory, dataset, name, 'instruction.md'), 'utf8');
    assert.doesNotMatch(instruction, POINTERS);
    const toml = await readFile(join(directory, dataset, name, 'task.toml'), 'utf8');
    assert.doesNotMatch(toml, /CVE-|GHSA|PYSEC|Grace/);
    assert.match(toml, /^pipeline = "cve_patches"$/m);
    return instruction;
  }

  test('python, from a pull request of the history: a proven task with the error in its interface line', async () => {
    const records = join(directory, 'records');
    await write('records/GHSA-aaaa-bbbb-cccc.json', inkpot());
    await write('records/PYSEC-2031-5.json', {
      id: 'PYSEC-2031-5',
      aliases: ['CVE-2031-1000'],
      details: 'inkpot before 1.2.1 is slow.',
      affected: [{ package: { ecosystem: 'PyPI', name: 'InkPot' } }],
    });
    await write('records/other.json', blotter());
    await write('records/old.json', {
      ...inkpot({ id: 'CVE-2031-7', aliases: [] }),
      withdrawn: '2031-02-02T00:00:00Z',
    });
    await write('records/broken.json', '{"id": "CVE-2031-8"');
    const result = documentOf(await mine(python.directory, records, 'python', '--json'), 0);
    assert.deepEqual(result.notes?.counts, { read: 4, withdrawn: 1, elsewhere: 1, merged: 1, refused: 1 });
    assert.equal(result.notes?.leftOut.length, 1);
    assert.deepEqual(result.ledger, [
      { candidate: 'CVE-2031-1000', commit: fix.python, outcome: 'admitted', task: result.tasks[0] },
    ]);
    assert.equal(result.admitted, 1);
    const [name = ''] = result.tasks;
    const instruction = await assertNeutral('python', name);
    assert.match(instruction, /width of a colour is zero/);
    assert.match(instruction, /should refuse such a palette with a ValueError/);
    assert.deepEqual(instruction.match(/^Interface: .*$/gm), [
      'Interface: what cannot be guessed and is compared word for word: the text "a colour of the palette has no bytes".',
    ]);
    const toml = await readFile(join(directory, 'python', name, 'task.toml'), 'utf8');
    assert.match(toml, /^specificity = 1$/m);
    assert.match(toml, /^reference = \{ runs = 3, passes = 3 \}$|passes = 3/m);
    const ledger = await readFile(join(directory, 'python', 'dataset.json'), 'utf8');
    assert.deepEqual(
      DatasetLedger.parse(JSON.parse(ledger)).mined.map(({ candidates }) => candidates),
      [result.ledger],
    );
    assert.ok(!ledger.includes(directory), ledger);
    const validated = await call('validate', join(directory, 'python', name), '--json');
    assert.equal(validated.exitCode, 0, validated.stderr);
    const human = await mine(python.directory, records, 'python');
    assert.match(
      human.stdout,
      /4 advisories read: 1 of other projects, 1 withdrawn, 1 the same as another\nleft out: .*broken\.json is no usable OSV record: it is no JSON/,
    );
  });

  test('--specificity reject: the same candidate is no task', async () => {
    const file = await write('strict.json', inkpot());
    const result = documentOf(await mine(python.directory, file, 'strict', '--specificity', 'reject', '--json'), 3);
    assert.deepEqual(result.rejected, { undisclosed_symbol: 1 });
    assert.match(JSON.stringify(result.ledger), /a colour of the palette has no bytes/);
  });

  test('node, from a GIT range, over http: nothing undisclosed, no interface line', async () => {
    const server = createServer((_, response) => response.end(JSON.stringify({ vulns: [blotter()] })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const result = documentOf(
      await mine(
        node.directory,
        `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/query`,
        'node',
        '--json',
      ),
      0,
    ).tasks;
    server.close();
    const [name = ''] = result;
    const instruction = await assertNeutral('node', name);
    assert.match(instruction, /`__proto__`/);
    assert.doesNotMatch(instruction, /Interface:/);
    assert.match(await readFile(join(directory, 'node', name, 'task.toml'), 'utf8'), /^specificity = 0$/m);
  });

  test('a partial clone that lacks a binary: the task does too, and the test that needs it counts nowhere', async () => {
    const partial = join(directory, 'partial');
    await cp(python.directory, partial, { recursive: true });
    const blob = await python.resolve('HEAD:tests/data/sample.pdf');
    await rm(join(partial, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    const result = documentOf(await mine(partial, await write('partial.json', inkpot()), 'partial-out', '--json'), 0);
    const toml = await readFile(join(directory, 'partial-out', result.tasks[0] ?? '', 'task.toml'), 'utf8');
    assert.match(toml, /^absent = \[\s*"tests\/data\/sample\.pdf",?\s*\]$/m);
    assert.match(toml, /^quarantined = \[\s*"tests\/test_palette\.py::test_reads_the_sample",?\s*\]$/m);
    assert.match(toml, /^pass_to_pass = \[\s*"tests\/test_palette\.py::test_reads_colours",?\s*\]$/m);
    assert.equal((await call('validate', join(directory, 'partial-out', result.tasks[0] ?? ''))).exitCode, 0);
  });

  test('rejections', async () => {
    const thin = documentOf(
      await mine(
        python.directory,
        await write('thin.json', inkpot({ summary: 'Security fix', details: 'Upgrade to 1.2.1.' })),
        'thin',
        '--json',
      ),
      3,
    );
    assert.deepEqual(thin.rejected, { thin_statement: 1 });
    const nowhere = documentOf(
      await mine(python.directory, await write('nowhere.json', inkpot({ references: [] })), 'nowhere', '--json'),
      3,
    );
    assert.deepEqual(nowhere.rejected, { no_fix_commit: 1 });
  });

  test('bad use and bad input: one line, exit 2, nothing left behind', async () => {
    const record = (range: object): object => inkpot({ affected: [{ ranges: [{ type: 'GIT', ...range }] }] });
    const marker = join(directory, 'owned');
    const bad: [string, unknown, RegExp][] = [
      ['malformed', '{"id":', /it is no JSON/],
      ['huge', `{"id":"CVE-1-1","details":"${'x'.repeat(5 * 1024 * 1024)}"}`, /more than \d+ bytes/],
      ['deep', '['.repeat(2_000_000), /levels deep/],
      ['helper', record({ repo: `ext::sh -c "touch ${marker}"`, events: [] }), /repo: is no address/],
      [
        'option',
        record({ repo: 'https://github.com/ink/inkpot', events: [{ fixed: `--upload-pack=touch ${marker}` }] }),
        /events: holds what is no commit/,
      ],
      ['one-of-two', [inkpot(), { id: '--help' }], /1\.id/],
    ];
    for (const [name, value, pattern] of bad) {
      assertRefused(await mine(python.directory, await write(`${name}.json`, value), `out-${name}`), pattern);
      await assert.rejects(access(join(directory, `out-${name}`)), name);
    }
    assertRefused(await mine(python.directory, join(directory, 'not-there.json'), 'out-none'), /no such file/);
    assertRefused(await mine(python.directory, `ext::touch ${marker}`, 'out-ext'), /cannot read advisories/);
    assertRefused(
      await mine(python.directory, 'http://127.0.0.1:9/osv.json', 'out-unreachable'),
      /cannot read advisories from http:\/\/127\.0\.0\.1:9/,
    );
    assertRefused(
      await call('mine', python.directory, '--pipeline', 'cve_patches', '--out', join(directory, 'out-osv')),
      /needs --osv/,
    );
    assertRefused(
      await call(
        'mine',
        python.directory,
        '--pipeline',
        'commit_runtime',
        '--osv',
        directory,
        '--out',
        join(directory, 'out-osv'),
      ),
      /--osv: the pipeline commit_runtime does not take it/,
    );
    await assert.rejects(access(marker));
    assert.deepEqual(await readdir(join(directory, 'cache', 'repositories')).catch(() => []), []);
  });
});
