/**
 * Runs the grader of standards as Harbor's verifier does, as root and with the paths of the image, but in namespaces
 * instead of a container.
 */
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Standard } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { runGrader } from '../../../ecosystems/grader-namespaces.fixture.ts';
import { buildGrader, harborGrading } from '../harbor-grading.ts';
import { standardTestScript } from '../standard-dockerfiles.ts';

const NODE_ON_PATH = ['--tmpfs', '/usr/local/bin', '--ro-bind', process.execPath, '/usr/local/bin/node'];

const isRoot = process.getuid?.() === 0;

const CASES = [
  { input: [1, 2], expected: 3 },
  { input: [2, 2], expected: 4 },
  { input: [0.1, 0.2], expected: 0.3, numberTolerance: 1e-9 },
];

interface Flavor {
  language: 'javascript' | 'typescript' | 'python';
  answer: string;
  right: string;
  /** The last case is wrong. */
  partly: string;
  /** Passes if and only if it can read that file, or write below that directory. */
  reads: (path: string) => string;
  writes: (path: string) => string;
  hostile: Record<string, string>;
}

const JAVASCRIPT: Omit<Flavor, 'language' | 'answer' | 'right'> = {
  partly: 'exports.add = (a, b) => a < 1 ? null : a + b;\n',
  reads: (path) =>
    `function add(a, b) { try { process.getBuiltinModule('fs').readFileSync('${path}'); return a + b; } catch { return null; } }\n`,
  writes: (path) =>
    `function add(a, b) { try { process.getBuiltinModule('fs').writeFileSync('${path}/mine', ''); return a + b; } catch { return null; } }\n`,
  hostile: {
    'ends its process': 'process.exit(0);\n',
    'never ends': 'const add = () => { for (;;); };\n',
    'is no code': '{{{',
    'defines nothing': 'const x = 1;\n',
    'says that it is right':
      "function add() { console.log(JSON.stringify({ reward: 1, passed: true })); return { passed: true, $type: 'any' }; }\n",
  },
};

const FLAVORS: Flavor[] = [
  {
    language: 'javascript',
    answer: 'solution.js',
    right: 'export function add(a, b) { return a + b; }\n',
    ...JAVASCRIPT,
  },
  {
    language: 'typescript',
    answer: 'solution.ts',
    right: 'export const add = (a: number, b: number): number => a + b;\n',
    ...JAVASCRIPT,
  },
  {
    language: 'python',
    answer: 'solution.py',
    right: 'def add(a, b):\n    return a + b\n',
    partly: 'def add(a, b):\n    return None if a < 1 else a + b\n',
    reads: (path) =>
      `def add(a, b):\n    try:\n        open("${path}").read()\n        return a + b\n    except OSError:\n        return None\n`,
    writes: (path) =>
      `def add(a, b):\n    try:\n        open("${path}/mine", "w").close()\n        return a + b\n    except OSError:\n        return None\n`,
    hostile: {
      'ends its process': 'import os\nos._exit(0)\n',
      'never ends': 'def add(a, b):\n    while True: pass\n',
      'is no code': '(((',
      'defines nothing': 'x = 1\n',
      'says that it is right':
        'class Any:\n    def __eq__(self, other): return True\ndef add(a, b):\n    print(\'{"reward": 1}\')\n    return Any()\n',
    },
  },
];

for (const { language, answer, right, partly, reads, writes, hostile } of FLAVORS) {
  describe(`the grader of standards, ${language}`, { skip: isRoot ? false : 'needs root' }, () => {
    const standard: Standard = { type: 'test_cases', functionName: 'add', language, timeoutMs: 30_000, cases: CASES };
    let home: string;
    let counter = 0;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'assay-standard-grade-'));
    });
    after(() => rm(home, { recursive: true, force: true }));

    interface Given {
      standard?: Standard;
      prepare?: (paths: { workspace: string; tests: string; logs: string; outside: string }) => Promise<void>;
    }

    async function grade(
      text: string | null,
      { standard: document = standard, prepare }: Given = {},
    ): Promise<{ reward: number; details: { note?: string }; leftOver: string }> {
      const image = join(home, `image-${counter++}`);
      const paths = {
        workspace: join(image, 'workspace'),
        tests: join(image, 'tests'),
        logs: join(image, 'logs'),
        outside: join(image, 'outside'),
      };
      for (const path of [...Object.values(paths), join(image, 'home')]) await mkdir(path, { recursive: true });
      for (const [name, bytes] of await buildGrader()) {
        await mkdir(dirname(join(paths.tests, 'grader', name)), { recursive: true });
        await writeFile(join(paths.tests, 'grader', name), bytes);
      }
      await writeFile(join(paths.tests, 'standard.json'), JSON.stringify(document));
      await writeFile(join(paths.tests, 'contract.json'), JSON.stringify({ version: 1, answer }));
      if (text !== null) await writeFile(join(paths.workspace, answer), text);
      await chmod(paths.tests, 0o700);
      await chmod(paths.logs, 0o700);
      await prepare?.(paths);
      const run = await runGrader({
        image,
        mounts: NODE_ON_PATH,
        program: 'node /tests/grader/grade.mjs',
        patient: true,
      });
      const read = async (name: string): Promise<unknown> =>
        JSON.parse(await readFile(join(paths.logs, name), 'utf8').catch(() => assert.fail(run.stderr.toString())));
      const { reward } = (await read('reward.json')) as { reward: number };
      return {
        reward,
        details: (await read('details.json')) as { note?: string },
        leftOver: run.stdout.toString().split('---\n').at(-1) ?? '',
      };
    }

    test('the reference earns 1, two of three 0.66, nothing 0', async () => {
      assert.equal((await grade(right)).reward, 1);
      assert.equal((await grade(partly)).reward, 0.66);
      const none = await grade(null);
      assert.equal(none.reward, 0);
      assert.match(none.details.note ?? '', /^there is no answer/);
    });

    test('weights count, and children of a composite', async () => {
      const weighted: Standard = {
        ...standard,
        cases: CASES.map((entry, index) => ({ ...entry, weight: index === 2 ? 2 : 1 })),
      };
      assert.equal((await grade(partly, { standard: weighted })).reward, 0.5);
      const composite: Standard = {
        type: 'composite',
        children: [
          { weight: 1, standard },
          { weight: 3, standard: { ...standard, cases: CASES.slice(0, 1) } },
        ],
      };
      assert.equal((await grade(partly, { standard: composite })).reward, 0.91);
    });

    for (const [name, text] of Object.entries(hostile)) {
      test(`a submission that ${name} earns 0, and nothing of it stays alive`, async () => {
        const limit = name === 'never ends' ? { timeoutMs: 1000 } : {};
        const graded = await grade(text, { standard: { ...standard, ...limit } });
        assert.equal(graded.reward, 0);
        assert.equal(graded.leftOver, '');
      });
    }

    test('the submission cannot read what is expected; it could if it were open', async () => {
      assert.equal((await grade(reads('/tests/standard.json'))).reward, 0);
      assert.equal(
        (await grade(reads('/tests/standard.json'), { prepare: ({ tests }) => chmod(tests, 0o755) })).reward,
        1,
      );
    });

    test('the submission cannot write where the reward lies; it could if it were open', async () => {
      assert.equal((await grade(writes('/logs/verifier'))).reward, 0);
      assert.equal((await grade(writes('/logs/verifier'), { prepare: ({ logs }) => chmod(logs, 0o777) })).reward, 1);
    });

    test('a link in place of the answer is no answer, though it leads to a right one', async () => {
      const graded = await grade(null, {
        prepare: async ({ workspace, outside }) => {
          await writeFile(join(outside, answer), right);
          await symlink(`/outside/${answer}`, join(workspace, answer));
        },
      });
      assert.equal(graded.reward, 0);
    });
  });
}

describe('what Harbor cannot grade', () => {
  test('leaves no reward, whatever was there before, and an error', async () => {
    const grading = await harborGrading({ type: 'judge_prompt', prompt: 'An essay.' }, undefined);
    assert.ok('impossible' in grading);
    const logs = await mkdtemp(join(tmpdir(), 'assay-standard-logs-'));
    try {
      await writeFile(join(logs, 'reward.json'), '{"reward": 1}');
      const run = await runCommand(['sh', '-c', standardTestScript(grading).replaceAll('/logs/verifier', logs)]);
      assert.equal(run.exitCode, 1);
      assert.match(run.stderr.toString(), /^No reward: a model/);
      assert.deepEqual(await readdir(logs), []);
    } finally {
      await rm(logs, { recursive: true });
    }
  });

  test('names the language, or that there are several', async () => {
    const rust: Standard = {
      type: 'test_cases',
      functionName: 'add',
      language: 'rust',
      signature: { params: [], returns: 'i64' },
      cases: [{ input: [], expected: 1 }],
    };
    assert.match(JSON.stringify(await harborGrading(rust, 'rust')), /in rust, which Assay alone runs/);
    assert.match(
      JSON.stringify(await harborGrading({ type: 'composite', children: [{ weight: 1, standard: rust }] }, undefined)),
      /in several languages/,
    );
  });
});
