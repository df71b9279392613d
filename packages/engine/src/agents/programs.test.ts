import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

interface WholeFile {
  path: string;
  content: string;
}
interface ReadAnswer {
  filesOf(answer: string): WholeFile[];
  diffsOf(answer: string): string[];
  oneFileOf(answer: string, path: string): string | null;
}
interface ApplyDiff {
  applyDiff(diff: string, read: (path: string) => string | null): { path: string; content: string | null }[];
}

/** The programs are plain JavaScript because a sandbox may run them on an old Node. */
const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`programs/${name}.mjs`, import.meta.url).href)) as T;
const { filesOf, diffsOf, oneFileOf } = await load<ReadAnswer>('read-answer');
const { applyDiff } = await load<ApplyDiff>('apply-diff');
const block = (info: string, content: string, fence = '```'): string => `${fence}${info}\n${content}${fence}\n`;

describe('files of an answer', () => {
  const paths: Record<string, string> = {
    'a line before': `src/a.py\n${block('python', 'x\n')}`,
    'a heading before': `### \`src/a.py\`\n\n${block('python', 'x\n')}`,
    'bold words before': `**src/a.py**:\n${block('', 'x\n')}`,
    'File: before': `File: src/a.py\n${block('python', 'x\n')}`,
    'after the fence': block('src/a.py', 'x\n'),
    'after the language': block('python:src/a.py', 'x\n'),
    'as a field': block('python title="src/a.py"', 'x\n'),
    'below the workspace': `/workspace/src/a.py\n${block('python', 'x\n')}`,
    'with tildes': `src/a.py\n${block('python', 'x\n', '~~~')}`,
    'with carriage returns': `src/a.py\r\n\`\`\`python\r\nx\r\n\`\`\`\r\n`,
  };
  for (const [name, answer] of Object.entries(paths))
    test(`the path: ${name}`, () => assert.deepEqual(filesOf(answer), [{ path: 'src/a.py', content: 'x\n' }]));

  test('a fence inside of a longer one is content', () => {
    assert.deepEqual(filesOf(`README.md\n${block('markdown', 'one\n```sh\nls\n```\n', '````')}`), [
      { path: 'README.md', content: 'one\n```sh\nls\n```\n' },
    ]);
  });
  test('several files, in order; one without a path is an example', () => {
    const answer = `I ran\n${block('sh', 'ls\n')}a.js\n${block('js', '1\n')}\nsome words\n\nlib/b.js\n${block('js', '2\n')}`;
    assert.deepEqual(
      filesOf(answer).map(({ path }) => path),
      ['a.js', 'lib/b.js'],
    );
  });
  for (const bad of ['../a.py', '/etc/passwd', 'src/../../a.py', 'a word', 'python', '/workspace/../x.py']) {
    test(`no path: ${bad}`, () => assert.deepEqual(filesOf(`${bad}\n${block('', 'x\n')}`), []));
  }
  test('one that is cut off is not written', () => assert.deepEqual(filesOf('src/a.py\n```python\nx\n'), []));
  test('a diff is no file', () => {
    const diff = '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n';
    assert.deepEqual([filesOf(`a.py\n${block('diff', diff)}`), diffsOf(`a.py\n${block('diff', diff)}`)], [[], [diff]]);
    assert.deepEqual(diffsOf(diff), [diff]);
    assert.deepEqual(diffsOf('no diff'), []);
  });
});

describe('the one file that was asked for', () => {
  test('is the longest block, or the one with its name', () => {
    assert.equal(
      oneFileOf(`First\n${block('js', 'a\n')}then\n${block('js', 'long(er)\n')}`, 'solution.js'),
      'long(er)\n',
    );
    assert.equal(
      oneFileOf(`solution.js\n${block('js', 'a\n')}then\n${block('js', 'long(er)\n')}`, 'solution.js'),
      'a\n',
    );
  });
  test('is all of the answer where there is no block, and where it is a text', () => {
    assert.equal(oneFileOf('f = 1', 'solution.py'), 'f = 1\n');
    assert.equal(oneFileOf(`An essay\n${block('js', 'a\n')}`, 'answer.md'), `An essay\n${block('js', 'a\n')}`);
    assert.equal(oneFileOf('  \n', 'answer.md'), null);
  });
});

describe('a diff', () => {
  const files: Record<string, string> = { 'a.py': 'one\ntwo\nthree\nfour\nfive\nsix\ntwo\nend\n' };
  const apply = (diff: string): { path: string; content: string | null }[] =>
    applyDiff(diff, (path) => files[path] ?? null);
  const head = '--- a/a.py\n+++ b/a.py\n';

  test('is applied where its lines stand, nearest to where it says', () => {
    assert.deepEqual(apply(`${head}@@ -7,1 +7,1 @@\n-two\n+2\n`), [
      { path: 'a.py', content: 'one\ntwo\nthree\nfour\nfive\nsix\n2\nend\n' },
    ]);
    assert.deepEqual(apply(`${head}@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -99,2 +99,3 @@\n two\n+more\n end\n`), [
      { path: 'a.py', content: 'one\n2\nthree\nfour\nfive\nsix\ntwo\nmore\nend\n' },
    ]);
  });
  test('may lack numbers, and differ in white space', () =>
    assert.equal(apply(`${head}@@\n one  \n-two\n+2\n`)[0]?.content, 'one\n2\nthree\nfour\nfive\nsix\ntwo\nend\n'));
  test('adds, removes and renames files', () => {
    assert.deepEqual(apply('--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+x\n+y\n'), [
      { path: 'n.py', content: 'x\ny\n' },
    ]);
    assert.deepEqual(apply('--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n'), [{ path: 'a.py', content: null }]);
    assert.deepEqual(
      apply('--- a/a.py\n+++ b/b.py\n@@ -1 +1 @@\n-one\n+1\n').map(({ path, content }) => [path, content === null]),
      [
        ['a.py', true],
        ['b.py', false],
      ],
    );
  });
  test('that fits nowhere is refused', () => {
    assert.throws(() => apply(`${head}@@ -1 +1 @@\n-never\n+x\n`), /fits nowhere in a\.py/);
    assert.throws(() => apply('--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-x\n+y\n'), /there is no none\.py/);
  });
  test('agrees with git about what git writes', () => {
    const before = Array.from({ length: 60 }, (_, index) => `line ${index % 7}`);
    const after = before.flatMap((line, index) =>
      index % 11 === 3 ? [] : index % 13 === 5 ? [line, `new ${index}`] : [line],
    );
    const text = (lines: string[]): string => `${lines.join('\n')}\n`;
    const script =
      'cd "$(mktemp -d)" && printf %s "$0" >b && printf %s "$1" >a && git diff --no-index --no-prefix b a; rm -r "$PWD"';
    const { stdout } = spawnSync('sh', ['-c', script, text(before), text(after)], { encoding: 'utf8' });
    assert.match(stdout, /^diff --git/);
    assert.deepEqual(
      applyDiff(stdout, (path) => (path === 'b' ? text(before) : null)),
      [
        { path: 'b', content: null },
        { path: 'a', content: text(after) },
      ],
    );
  });
});
