import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryBuilder, sharedFixture } from '@assay/testkit';
import { readDataset } from '../bundle/read-task.ts';
import { mineRepository } from './mine.ts';

const FIRST = `class MoneyError(ValueError):
    pass


def parse(text):
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int(part or 0)


def share(total, ways):
    return [total // ways] * ways
`;
const PARSES = FIRST.replace(
  '    whole, _',
  `    if not text.replace(".", "", 1).isdigit():
        raise MoneyError("not an amount: %s" % text)
    whole, _`,
).replace('int(part or 0)', 'int(part.ljust(2, "0"))');
const SHARES = PARSES.replace(
  '    return [total // ways] * ways\n',
  '    each, rest = divmod(total, ways)\n    return [each + 1] * rest + [each] * (ways - rest)\n',
);
const SAME_AGAIN = `

def test_same_again():
    assert parse("1.25") == parse("01.25")
`;
const FIRST_TESTS = `from money import parse


def test_two_digits():
    assert parse("3.25") == 325
${SAME_AGAIN}`;
const ERROR_TESTS = `from money import MoneyError


def test_is_a_value_error():
    assert issubclass(MoneyError, ValueError)
`;
const PARSE_TESTS = `import pytest
from money import MoneyError, parse


def test_two_digits():
    assert parse("3.25") == 325


@pytest.mark.parametrize("text, cents", [("1.1", 110), ("2.3", 230), ("0.7", 70)])
def test_one_digit(text, cents):
    assert parse(text) == cents


def test_no_amount():
    with pytest.raises(MoneyError, match="not an amount: x1"):
        parse("x1")
${SAME_AGAIN}`;
const SHARE_TESTS = `from money import share


def check(total, ways, shares):
    found = share(total, ways)
    assert list(found) == shares


def test_odd_cents():
    check(10, 3, [4, 3, 3])
`;
const PARSE_MESSAGE = `Take amounts with one digit after the point, and refuse what is no amount

An amount such as 3.5 counts five cents in place of fifty: one digit after the point means tens of cents. A text that is no amount gives whatever
\`int\` says about it. It has to raise MoneyError with the message 'not an amount: ' and then the text.`;
const SHARE_MESSAGE = `Lose no cents when an amount is shared

Sharing 10 cents between three gives 3 to each, and a cent is lost. The shares have to sum up to the amount: what does not divide evenly goes to the
first ones, a cent to each.`;

export interface SplitFixture {
  repository: string;
  /**
   * Its tests of the fix are all compared outside. Of the others one stays inside, in the same file, and one in a file that
   * is as at T0.
   */
  split: string;
  /** Its test of the fix compares in a helper, so it stays inside, with a control. */
  inside: string;
}

/** Mines two tasks of a small Python repository, and leaves copies of them at `directory`. */
export async function makeSplitTasks(directory: string): Promise<SplitFixture> {
  const shared = await sharedFixture(directory, 'split-tasks', async (place) => {
    const builder = await RepositoryBuilder.create(join(place, 'money'));
    await builder.commit('First version', {
      'requirements.txt': 'pytest\n',
      'money/__init__.py': FIRST,
      'tests/test_parse.py': FIRST_TESTS,
      'tests/test_error.py': ERROR_TESTS,
    });
    await builder.commit(PARSE_MESSAGE, { 'money/__init__.py': PARSES, 'tests/test_parse.py': PARSE_TESTS });
    await builder.commit(SHARE_MESSAGE, { 'money/__init__.py': SHARES, 'tests/test_share.py': SHARE_TESTS });
    const { admitted, ledger } = await mineRepository({
      source: builder.directory,
      pipeline: 'commit_runtime',
      out: join(place, 'tasks'),
      provider: 'bubblewrap',
      minKilled: 0,
    });
    if (admitted !== 2) throw new Error(JSON.stringify(ledger));
  });
  await cp(join(shared, 'money'), join(directory, 'money'), { recursive: true, verbatimSymlinks: true });
  await cp(join(shared, 'tasks'), join(directory, 'tasks'), { recursive: true, verbatimSymlinks: true });
  const { tasks } = await readDataset(join(directory, 'tasks'));
  const taskWith = (test: string): string => {
    const found = tasks.find(
      ({ meta }) => meta.kind === 'repository' && meta.fail_to_pass.some((id) => id.includes(test)),
    );
    if (!found) throw new Error(`no task has the test ${test}`);
    return found.directory;
  };
  return {
    repository: join(directory, 'money'),
    split: taskWith('test_one_digit'),
    inside: taskWith('test_odd_cents'),
  };
}
