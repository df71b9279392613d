import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, ValidateResult } from '@assay/protocol';
import { makeDemoTask } from './demo/demo-task.fixture.ts';
import { findAlternates } from './try-alternates.ts';
import { validateTasks } from './validate.ts';

const HEAD = '  const records = [];';

describe('other right solutions', () => {
  let home = '';
  let task = '';
  let source = '';
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-alternates-'));
    ({ task } = await makeDemoTask(home));
    source = await readFile(join(task, 'solution/files/src/read-table.js'), 'utf8');
  });
  after(() => rm(home, { recursive: true, force: true }));

  /** A directory with solutions: the whole tree with this at the head of the function, by name. */
  async function alternates(name: string, heads: Record<string, string>): Promise<string> {
    const directory = join(home, name);
    const old = source.replace(/ {2}const recordLength[^]*?\n {2}\}\n/, '');
    assert.ok(old !== source && old.includes(HEAD));
    for (const [solution, head] of Object.entries(heads)) {
      await cp(join(home, 'repository'), join(directory, solution), { recursive: true });
      await writeFile(join(directory, solution, 'src/read-table.js'), old.replace(HEAD, `${head}\n${HEAD}`));
    }
    return directory;
  }

  test('all must pass: of one that does not, the task tells which tests fail and what they print', async () => {
    const directory = await alternates('given', {
      honest: "  if (count > 0 && widths.every((width) => width === 0)) throw new RangeError('records of zero width');",
      other: "  if (count > 0 && widths.every((width) => width === 0)) throw new TypeError('no width');",
    });
    await cp(join(task, 'solution/reference.diff'), join(directory, 'patch.diff'));
    const result = ValidateResult.parse(
      await validateTasks({ path: task, runs: 1, mutants: 0, alternates: directory, provider: 'bubblewrap' }),
    );
    const [report] = result.tasks;
    assert.deepEqual(
      report?.alternates?.map(({ name, outcome }) => [name, outcome]),
      [
        ['honest', 'pass'],
        ['other', 'fail'],
        ['patch.diff', 'pass'],
      ],
    );
    const [, other] = report.alternates;
    assert.ok(other && other.failed.length > 0 && other.failed.every(({ status }) => status !== 'passed'));
    assert.match(other.log ?? '', /TypeError|no width/);
    assert.equal(report.admitted, false);
    assert.ok(report.reasons.some((reason) => reason.includes('alternate other')));
    assert.ok(report.reasons.every((reason) => !reason.includes('honest')));
  });

  test('lie in a directory, or in one for each of several tasks', async () => {
    const directory = join(home, 'several');
    for (const path of ['a/one', 'a/.hidden', 'b/two']) await mkdir(join(directory, path), { recursive: true });
    const found = async (ids: string[]): Promise<unknown> => [...(await findAlternates(directory, ids))];
    assert.deepEqual(await found(['a', 'b', 'c']), [
      ['a', [join(directory, 'a/one')]],
      ['b', [join(directory, 'b/two')]],
    ]);
    assert.deepEqual(await found(['c']), [['c', [join(directory, 'a'), join(directory, 'b')]]]);
  });

  test('none where they are looked for is an error', async () => {
    const refused = (error: unknown): boolean => AssayError.is(error) && error.code === 'BAD_OPTION';
    await mkdir(join(home, 'empty'));
    for (const directory of ['empty', 'absent'])
      await assert.rejects(findAlternates(join(home, directory), ['a']), refused);
    await assert.rejects(findAlternates(join(home, 'empty'), ['a', 'b']), refused);
  });
});
