import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { readMineFile, type ReadMineFile } from './read-mine-file.ts';

describe('a file of what to mine', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-mine-file-'));
    await mkdir(join(directory, 'a:b'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const read = async (text: string, name = 'mine.yaml'): Promise<ReadMineFile> => {
    await writeFile(join(directory, name), text);
    return readMineFile(join(directory, name));
  };
  const refused = async (text: string, pattern: RegExp, name = 'mine.yaml'): Promise<void> =>
    assert.rejects(read(text, name), (error: unknown) => {
      assert.ok(AssayError.is(error), String(error));
      assert.equal(error.code, 'MINE_FILE_INVALID', error.message);
      assert.match(error.message.replace(directory, ''), pattern);
      return true;
    });

  test('says the same as YAML, JSON and TOML: settings by the names of flags, paths from its own directory', async () => {
    const yaml = `# what to mine
out: tasks
limit: 20
budget: 1h30m
since: 2024-01-31
min-killed: 0.25
network: package-lane
sources:
  - repository: ../ufo
    pipelines: commit_runtime
  - repository: https://code.example/ink/pot
    limit: 5
    pipelines:
      commit_runtime:
      cve_patches: { osv: osv/, osv-package: [npm:pot], min-severity: high }
`;
    const options = { osv: 'osv/', 'osv-package': ['npm:pot'], 'min-severity': 'high' };
    const json = {
      out: 'tasks',
      limit: 20,
      budget: '1h30m',
      since: '2024-01-31',
      'min-killed': 0.25,
      network: 'package-lane',
      sources: [
        { repository: '../ufo', pipelines: ['commit_runtime'] },
        {
          repository: 'https://code.example/ink/pot',
          limit: 5,
          pipelines: { commit_runtime: null, cve_patches: options },
        },
      ],
    };
    const toml = `out = "tasks"
limit = 20
budget = "1h30m"
since = 2024-01-31
min-killed = 0.25
network = "package-lane"
[[sources]]
repository = "../ufo"
pipelines = "commit_runtime"
[[sources]]
repository = "https://code.example/ink/pot"
limit = 5
[sources.pipelines]
commit_runtime = {}
cve_patches = { osv = "osv/", osv-package = ["npm:pot"], min-severity = "high" }
`;
    for (const [name, text] of [
      ['mine.yaml', yaml],
      ['mine.json', JSON.stringify(json, null, '\t')],
      ['mine.toml', toml],
    ] as const) {
      const { settings, parts } = await read(text, name);
      assert.deepEqual(
        { ...settings },
        {
          out: join(directory, 'tasks'),
          limit: 20,
          budget: 5_400_000,
          since: '2024-01-31T00:00:00.000Z',
          'min-killed': 0.25,
          network: 'package-lane',
        },
        name,
      );
      assert.deepEqual(
        parts.map(({ source, pipeline, options: own, limit }) => [source, pipeline.name, own, limit]),
        [
          [join(directory, '../ufo'), 'commit_runtime', {}, undefined],
          ['https://code.example/ink/pot', 'commit_runtime', {}, 5],
          [
            'https://code.example/ink/pot',
            'cve_patches',
            { osv: join(directory, 'osv'), osvPackage: ['npm:pot'], minSeverity: 'high' },
            5,
          ],
        ],
        name,
      );
    }
  });

  test('addresses stay as they are; a directory is one whatever it is called', async () => {
    const of = async (place: string): Promise<string | undefined> =>
      (await read(JSON.stringify({ sources: [{ repository: place, pipelines: 'commit_runtime' }] }))).parts[0]?.source;
    for (const place of ['git@host.dev:a/b.git', 'ssh://host.dev/a', 'https://host.dev/a'])
      assert.equal(await of(place), place);
    assert.equal(await of('a:b'), join(directory, 'a:b'));
    assert.equal(await of('/x/y'), '/x/y');
  });

  const source = 'repository: a\n    pipelines: commit_runtime';
  const mistakes: [string, string, RegExp][] = [
    ['no YAML', 'sources: [', /mine\.yaml:1: /],
    ['a list', '- a', /mine\.yaml:1: /],
    ['nothing', '', /mine\.yaml/],
    ['an unknown key', `limits: 3\nsources:\n  - ${source}`, /mine\.yaml:1: limits: there is no such key/],
    [
      'an unknown key of a source',
      `sources:\n  - ${source}\n    ref: main`,
      /:4: sources\.0\.ref: there is no such key/,
    ],
    ['a key that is there twice', `limit: 1\nlimit: 2\nsources:\n  - ${source}`, /:2: Map keys must be unique/],
    ['no sources', 'limit: 3', /:1: sources: it is missing/],
    ['no repository', 'limit: 1\nsources:\n  - pipelines: commit_runtime', /:3: sources\.0\.repository: it is missing/],
    ['no pipelines', 'sources:\n  - repository: a', /:2: sources\.0\.pipelines: /],
    ['an empty map of pipelines', 'sources:\n  - repository: a\n    pipelines: {}', /:3: .*names no pipeline/],
    [
      'an unknown pipeline',
      'sources:\n  - repository: a\n    pipelines: [commit_runtime, no_such]',
      /:3: sources\.0\.pipelines\.1: no pipeline is called "no_such"\. There are: commit_runtime/,
    ],
    [
      'an option of another pipeline',
      'sources:\n  - repository: a\n    pipelines:\n      commit_runtime:\n        osv: x',
      /:5: .*commit_runtime does not take --osv/,
    ],
    [
      'two same entries',
      `sources:\n  - ${source}\n  - ${source.replace('a\n', './a/\n')}`,
      /:5: .*an earlier entry has the same/,
    ],
    ['a limit of nothing', `limit: 0\nsources:\n  - ${source}`, /:1: limit: /],
    ['a limit in words', `limit: many\nsources:\n  - ${source}`, /:1: limit: /],
    ['a time without a unit', `budget: 30\nsources:\n  - ${source}`, /:1: budget: /],
    ['a day that there is not', `\nsince: 2024-13-45\nsources:\n  - ${source}`, /:2: since: is no date/],
    ['a policy that there is not', `specificity: maybe\nsources:\n  - ${source}`, /:1: specificity: /],
    ['a network that there is not', `network: host\nsources:\n  - ${source}`, /:1: network: /],
    [
      'a bomb of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n`,
      /mine\.yaml: /,
    ],
    [
      'a key of the prototype',
      `__proto__: { limit: 3 }\nsources:\n  - ${source}`,
      /:1: __proto__: there is no such key/,
    ],
  ];
  for (const [name, text, pattern] of mistakes) test(`refuses ${name}, by line and key`, () => refused(text, pattern));

  test('TOML and JSON, and what is no file', async () => {
    await refused('limit = \n', /mine\.toml:1: /, 'mine.toml');
    await refused(
      'limits = 3\n[[sources]]\nrepository = "a"\npipelines = "commit_runtime"',
      /mine\.toml: limits: there is no such key/,
      'mine.toml',
    );
    await refused('{"limit": 1,\n "limit": 2}', /mine\.json:2: /, 'mine.json');
    for (const path of [directory, join(directory, 'missing')])
      await assert.rejects(readMineFile(path), (error) => AssayError.is(error) && error.code === 'MINE_FILE_INVALID');
    await refused(`a: ${'x'.repeat(1024 * 1024)}`, /larger than/);
  });
});
