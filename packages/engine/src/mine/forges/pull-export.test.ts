import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { openPullExport } from './pull-export.ts';

const OID = 'a'.repeat(40);
const HOST = 'https://code.example/ink/pot';

/** One pull request as each tool gives it: of a fork that is gone, by an account that is gone. */
const ROWS: Record<string, unknown> = {
  gh: {
    number: 12,
    title: 'Keep rows',
    body: 'Closes #7 and ink/pot#8, fixes ink/pen#9.',
    mergedAt: '2024-05-01T10:00:00Z',
    mergeCommit: { oid: OID },
    headRefOid: 'b'.repeat(40),
    baseRefName: 'master',
    headRepository: null,
    headRepositoryOwner: null,
    isDraft: false,
    author: null,
    labels: [{ name: 'bug' }],
    url: `${HOST}/pull/12`,
  },
  'the API of GitHub': {
    number: 12,
    title: 'Keep rows',
    body: 'Closes #7 and ink/pot#8, fixes ink/pen#9.',
    state: 'closed',
    merged_at: '2024-05-01T10:00:00Z',
    merge_commit_sha: OID,
    head: { sha: 'b'.repeat(40), ref: 'rows', repo: null },
    base: { sha: 'c'.repeat(40), ref: 'master', repo: { full_name: 'ink/pot' } },
    draft: false,
    user: null,
    labels: [{ name: 'bug' }],
    html_url: `${HOST}/pull/12`,
    diff_url: `${HOST}/pull/12.diff`,
  },
  'glab and the API of GitLab': {
    iid: 12,
    title: 'Keep rows',
    description: 'Closes #7 and ink/pot#8, fixes ink/pen#9.',
    state: 'merged',
    merged_at: '2024-05-01T10:00:00.000Z',
    merge_commit_sha: null,
    squash_commit_sha: OID,
    sha: 'b'.repeat(40),
    source_project_id: null,
    target_branch: 'master',
    draft: false,
    author: null,
    labels: ['bug'],
    web_url: `${HOST}/-/merge_requests/12`,
  },
  'the API of Gitea and Forgejo': {
    number: 12,
    title: 'Keep rows',
    body: 'Closes #7 and ink/pot#8, fixes ink/pen#9.',
    state: 'closed',
    merged: true,
    merged_at: '2024-05-01T10:00:00Z',
    merge_commit_sha: OID,
    head: { sha: 'b'.repeat(40), ref: 'rows', repo: null },
    base: { sha: 'c'.repeat(40), ref: 'master', repo: { full_name: 'ink/pot' } },
    user: null,
    labels: [{ name: 'bug' }],
    html_url: `${HOST}/pulls/12`,
  },
};

describe('an export of pull requests', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-pulls-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text);
    return path;
  };

  for (const [name, row] of Object.entries(ROWS))
    test(`as ${name} give it`, async () => {
      const pulls = await openPullExport(await write('pulls.json', JSON.stringify([row])));
      assert.deepEqual([...pulls.repositories], ['code.example/ink/pot']);
      const [pull] = await Array.fromAsync(pulls.pulls({}));
      assert.deepEqual(pull, {
        number: 12,
        title: 'Keep rows',
        body: 'Closes #7 and ink/pot#8, fixes ink/pen#9.',
        mergedAt: '2024-05-01T10:00:00.000Z',
        mergeCommit: OID,
        headCommit: 'b'.repeat(40),
        headRepository: null,
        baseBranch: 'master',
        labels: ['bug'],
        isDraft: false,
        author: null,
        subjects: null,
        closes: [7, 8],
      });
      assert.deepEqual(await pulls.closersOf(8), [12]);
    });

  test('issues beside them, of the same numbers where a forge counts them apart', async () => {
    const rows = [
      ROWS['glab and the API of GitLab'],
      { iid: 12, title: 'Twelve', description: 'Rows are lost.', created_at: '2024-01-01T00:00:00Z' },
      { number: 7, title: 'Empty rows', body: null, createdAt: '2024-01-02T00:00:00Z' },
    ];
    const pulls = await openPullExport(await write('beside.jsonl', rows.map((row) => JSON.stringify(row)).join('\n')));
    assert.equal((await pulls.issue(12))?.title, 'Twelve');
    assert.deepEqual(await pulls.issue(7), {
      number: 7,
      title: 'Empty rows',
      body: '',
      createdAt: '2024-01-02T00:00:00.000Z',
    });
    assert.equal(await pulls.issue(8), null);
  });

  test('newest first, whatever else is wrong with rows', async () => {
    const row = (number: number, mergedAt: string | null): unknown => ({ number, title: 'T', mergedAt });
    const rows = [row(1, '2024-01-01T00:00:00Z'), row(2, null), row(3, '2024-03-01T00:00:00Z'), row(4, 'never'), 5, {}];
    const pulls = await openPullExport(await write('order.json', JSON.stringify(rows)));
    const numbers = (await Array.fromAsync(pulls.pulls({}))).map(({ number }) => number);
    assert.deepEqual(numbers.slice(0, 2), [3, 1]);
    assert.deepEqual(numbers.toSorted(), [1, 2, 3, 4]);
  });

  test('without a pull request, an error of one line', async () => {
    const path = await write('none.json', JSON.stringify([{ number: 7, title: 'An issue', body: '' }]));
    await assert.rejects(
      openPullExport(path),
      (error) => AssayError.is(error) && error.code === 'BAD_OPTION' && /^--pulls: /.test(error.message),
    );
  });
});
