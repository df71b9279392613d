import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mineRepository } from '@assay/engine/commands/mine';
import { runCommand } from '@assay/sandbox';
import { sharedFixture } from '@assay/testkit';

export type Language = 'python' | 'node';

export interface FixtureTask {
  /** The mined bundle. */
  task: string;
  /** The dataset that it lies in. */
  dataset: string;
  /** The repository that it was mined from. */
  repository: string;
  dispose(): Promise<void>;
}

const MESSAGE = `Split names at every kind of white space

split_words cut only at single blanks, so a tab or a line end stayed inside a word, and two blanks in a row gave an empty word.
Every run of white space must end a word, and there are never empty words in the result.
`;

const PYTHON = {
  base: {
    'pyproject.toml':
      '[build-system]\nrequires = ["setuptools>=61"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "inkpot"\nversion = "1.2.0"\nrequires-python = ">=3.8"\n\n[project.optional-dependencies]\ntest = ["pytest>=7"]\n\n[tool.setuptools]\npackages = ["inkpot"]\npackage-dir = {"" = "src"}\n',
    'src/inkpot/__init__.py':
      'from inkpot.words import join_words, split_words\n\n__all__ = ["join_words", "split_words"]\n',
    'src/inkpot/words.py':
      'def split_words(text):\n    return text.split(" ")\n\n\ndef join_words(words):\n    return " ".join(words)\n',
    'tests/test_words.py':
      'from inkpot import join_words, split_words\n\n\ndef test_splits_at_a_blank():\n    assert split_words("a b") == ["a", "b"]\n\n\ndef test_joins():\n    assert join_words(["a", "b"]) == "a b"\n',
  },
  fix: {
    'src/inkpot/words.py':
      'def split_words(text):\n    return [word for word in text.split() if word]\n\n\ndef join_words(words):\n    return " ".join(words)\n',
    'tests/test_words.py':
      'from inkpot import join_words, split_words\n\n\ndef test_splits_at_a_blank():\n    assert split_words("a b") == ["a", "b"]\n\n\ndef test_joins():\n    assert join_words(["a", "b"]) == "a b"\n\n\ndef test_splits_at_tabs_and_line_ends():\n    assert split_words("a\\tb\\nc") == ["a", "b", "c"]\n\n\ndef test_no_empty_words():\n    assert split_words("a  b ") == ["a", "b"]\n',
  },
};

const NODE_HEAD =
  "const assert = require('node:assert');\nconst { joinWords, splitWords } = require('../lib/words.js');\n\n";
const NODE_OWN = `${NODE_HEAD}describe('words', () => {\n  it('splits at a blank', () => {\n    assert.deepStrictEqual(splitWords('a b'), ['a', 'b']);\n  });\n  it('joins', () => {\n    assert.strictEqual(joinWords(['a', 'b']), 'a b');\n  });\n`;
const NODE = {
  base: {
    'package.json': `${JSON.stringify({ name: 'inkpot', version: '1.2.0', main: 'lib/words.js', scripts: { test: 'mocha' }, devDependencies: { mocha: '^10.2.0' } }, null, 2)}\n`,
    'lib/words.js':
      "exports.splitWords = (text) => text.split(' ');\nexports.joinWords = (words) => words.join(' ');\n",
    'test/words.test.js': `${NODE_OWN}});\n`,
  },
  fix: {
    'lib/words.js':
      "exports.splitWords = (text) => text.split(/\\s+/).filter((word) => word !== '');\nexports.joinWords = (words) => words.join(' ');\n",
    'test/words.test.js': `${NODE_OWN}  it('splits at tabs and line ends', () => {\n    assert.deepStrictEqual(splitWords('a\\tb\\nc'), ['a', 'b', 'c']);\n  });\n  it('gives no empty words', () => {\n    assert.deepStrictEqual(splitWords('a  b '), ['a', 'b']);\n  });\n});\n`,
  },
};

/** Writes a small repository with one real fix on top of a first version. */
export async function writeFixtureRepository(language: Language, directory: string): Promise<void> {
  const { base, fix } = language === 'python' ? PYTHON : NODE;
  await mkdir(directory, { recursive: true });
  await git(directory, ['init', '--quiet', '--initial-branch=main']);
  await commit(directory, base, 'First version', '2024-05-02T10:00:00Z');
  const message = language === 'python' ? MESSAGE : MESSAGE.replace('split_words', 'splitWords');
  await commit(directory, fix, message, '2024-05-20T10:00:00Z');
}

/** Mines that repository's one task. */
export async function mineFixtureTask(language: Language): Promise<FixtureTask> {
  const directory = await mkdtemp(join(tmpdir(), `assay-fixture-${language}-`));
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const shared = await sharedFixture(directory, `${language}-task`, async (place) => {
      await writeFixtureRepository(language, join(place, 'inkpot'));
      const source = join(place, 'inkpot');
      const { tasks, ledger } = await mineRepository({
        source,
        pipeline: 'commit_runtime',
        out: join(place, 'tasks'),
        limit: 1,
      });
      if (tasks.length === 0) throw new Error(`the fixture was not admitted: ${JSON.stringify(ledger)}`);
    });
    const [repository, dataset] = [join(directory, 'inkpot'), join(directory, 'tasks')];
    await cp(join(shared, 'inkpot'), repository, { recursive: true, verbatimSymlinks: true });
    await cp(join(shared, 'tasks'), dataset, { recursive: true, verbatimSymlinks: true });
    const [name = 'no task'] = (await readdir(dataset)).filter((entry) => entry.startsWith('inkpot-'));
    return { task: join(dataset, name), dataset, repository, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function commit(directory: string, files: Record<string, string>, message: string, date: string): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  await git(directory, ['add', '--all'], date);
  await git(directory, ['commit', '--quiet', '--message', message], date);
}

async function git(directory: string, args: string[], date = '2024-05-01T00:00:00Z'): Promise<void> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Maintainer',
    GIT_AUTHOR_EMAIL: 'maintainer@localhost',
    GIT_COMMITTER_NAME: 'Maintainer',
    GIT_COMMITTER_EMAIL: 'maintainer@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  const result = await runCommand(['git', ...args], { cwd: directory, env });
  if (result.exitCode !== 0) throw new Error(`git ${args[0]}: ${result.stderr.toString('utf8')}`);
}
