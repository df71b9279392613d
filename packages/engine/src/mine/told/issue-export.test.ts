import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { RepositoryBuilder } from '@assay/testkit';
import { importRepository, type ImportedRepository } from '../../git/import-repository.ts';
import { commitRuntime } from '../pipelines/commit-runtime/pipeline.ts';
import { openIssueExport } from './issue-export.ts';
import { issuesOf } from './issues-of.ts';

const HOST = 'https://code.example/ink/pot';
const ISSUE = {
  number: 7,
  title: 'Empty rows are lost',
  body: 'Reading "a\\n\\nb" gives {two} rows.',
  url: `${HOST}/issues/7`,
};
const PULL = { number: 12, title: 'Keep rows', body: 'Closes #7.', html_url: `${HOST}/pull/12`, pull_request: {} };
const refused = (pattern: RegExp) => (error: unknown) =>
  AssayError.is(error) && error.code === 'BAD_OPTION' && pattern.test(error.message) && !error.message.includes('\n');

describe('an export of issues', () => {
  let directory = '';
  let repository: ImportedRepository;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-issues-'));
    const builder = await RepositoryBuilder.create(join(directory, 'pot'));
    const files = (value: number): Record<string, string> => ({
      'pot/a.py': `A = ${value}\n`,
      'tests/test_a.py': `def test_a():\n    assert ${value}\n`,
    });
    await builder.commit('First', {
      'pyproject.toml': `[project]\nname = "pot"\nurls = { Source = "${HOST}" }\n`,
      ...files(1),
    });
    await builder.commit('Rows (#12)', files(2));
    repository = await importRepository(builder.directory, join(directory, 'cache'));
  });
  after(async () => {
    await repository.dispose();
    await rm(directory, { recursive: true, force: true });
  });
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text);
    return path;
  };

  const forms: Record<string, string> = {
    'an array': JSON.stringify([ISSUE, PULL], null, 2),
    'a row a line': `${JSON.stringify(ISSUE)}\n${JSON.stringify(PULL)}\n`,
    'pages one after another, with rows that are none': `[{"a":"}"}, ${JSON.stringify(ISSUE)}]\n[]\n[${JSON.stringify(PULL)}, {"number": "x"}]`,
  };
  for (const [name, text] of Object.entries(forms))
    test(name, async () => {
      const issues = await openIssueExport(await write('export.json', text));
      assert.deepEqual([issues.rows, [...issues.repositories]], [2, ['code.example/ink/pot']]);
      assert.deepEqual(await issues.read(7), { number: 7, isPull: false, title: ISSUE.title, body: ISSUE.body });
      assert.equal((await issues.read(12))?.isPull, true);
      assert.equal(await issues.read(8), null);
    });

  test('a pull request brings the issue that it closes', async () => {
    const issues = await openIssueExport(await write('export.json', JSON.stringify([ISSUE, PULL])));
    assert.deepEqual(
      (await issuesOf(['Rows (#12)\n\nSee #99 for more.'], issues)).map(({ source, text }) => [source, text]),
      [
        ['pull request', 'Keep rows\n\nCloses #7.'],
        ['issue', `${ISSUE.title}\n\n${ISSUE.body}`],
      ],
    );
    assert.deepEqual(await issuesOf(['Rows\n\nSimilar to #7.'], issues), []);
  });

  test('tells the problem of a thin commit, issue first', async () => {
    await mkdir(join(directory, 'export'), { recursive: true });
    await write('export/issues.jsonl', JSON.stringify(ISSUE));
    await write('export/pulls.json', JSON.stringify([PULL]));
    const collect = await commitRuntime.open({ issues: join(directory, 'export') });
    const { found } = await collect({ repository });
    const [first] = await Array.fromAsync(found);
    const { sources = [] } = await commitRuntime.read(first?.data, { repository, model: null });
    assert.deepEqual(
      sources.map(({ source, text }) => [source, text.split('\n')[0]]),
      [
        ['issue', 'Empty rows are lost'],
        ['message', 'Rows (#12)'],
        ['pull request', 'Keep rows'],
      ],
    );
  });

  test('of another repository, nothing usable or nothing there: one line', async () => {
    const other = await write(
      'other.json',
      JSON.stringify([{ ...ISSUE, url: 'https://code.example/paper/mill/issues/7' }]),
    );
    const collect = await commitRuntime.open({ issues: other });
    await assert.rejects(
      collect({ repository }),
      refused(/it is of code\.example\/paper\/mill, and code\.example\/ink\/pot is mined/),
    );
    await assert.rejects(openIssueExport(await write('none.json', '{"a": [1')), refused(/no row/));
    await assert.rejects(openIssueExport(join(directory, 'absent')), refused(/not there/));
    await mkdir(join(directory, 'empty'), { recursive: true });
    await assert.rejects(openIssueExport(join(directory, 'empty')), refused(/holds no/));
  });

  test('many rows are read one at a time', async () => {
    const path = join(directory, 'many.json');
    const stream = createWriteStream(path);
    stream.write('[');
    for (let number = 1; number <= 50_000; number += 1)
      stream.write(
        `${number > 1 ? ',' : ''}{"number":${number},"title":"Row ${number}","body":"${'{x} \\" '.repeat(20)}"}`,
      );
    stream.end(`,{"number":60000,"title":"Long","body":"${'x'.repeat(5 * 1024 * 1024)}"}]`);
    await finished(stream);
    const issues = await openIssueExport(path);
    assert.equal(issues.rows, 50_000);
    assert.equal((await issues.read(49_999))?.title, 'Row 49999');
  });
});
