/** An evaluation that meets another one, a service that is out of order, and its own sudden end. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import type { EvalReport } from '@assay/protocol';
import { startFakeModel } from '../../packages/lanes/src/fake-model/start-fake-model.ts';
import { assay, assertRefused, inheritedEnvironment, MAIN, type Ended } from './assay-process.ts';

const right = await readFile(
  join(import.meta.dirname, '../../packages/bax/apps/frameworks/python-flask/app.py'),
  'utf8',
);
const answered = { say: `<CODE>\n${right}\n</CODE>`, repeat: 100 };

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), 'assay-bax-eval-'))));
after(() => rm(directory, { recursive: true, force: true }));

const sample = (out: string, index: number, file: string): string =>
  join(directory, out, 'm/Calculator/Python-Flask/temp0.2-openapi-none', `sample${index}`, file);
const words = (endpoint: string, out: string, ...more: string[]): string[] => [
  'bax',
  'eval',
  '--model',
  'm',
  '--endpoint',
  endpoint,
  '--scenarios',
  'Calculator',
  '--envs',
  'Python-Flask',
  '--out',
  join(directory, out),
  ...more,
];

async function withModel<Value>(
  turns: object[],
  use: (model: Awaited<ReturnType<typeof startFakeModel>>) => Promise<Value>,
): Promise<Value> {
  const model = await startFakeModel({ script: { order: 'requests', turns } });
  try {
    return await use(model);
  } finally {
    await model.close();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

/** Ends it however the test ends. */
async function whileRunning(
  line: string[],
  use: (child: ChildProcess, ended: Promise<unknown[]>) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, [MAIN, ...line], { env: inheritedEnvironment(), stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await use(child, ended);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

function report({ exitCode, stdout, stderr }: Ended): EvalReport {
  assert.equal(exitCode, 0, stderr);
  return JSON.parse(stdout) as EvalReport;
}

describe('an evaluation', { timeout: 600_000 }, () => {
  test('that is killed loses nothing that was answered, and meanwhile nobody else gets at its directory', async () => {
    await withModel(
      [
        { ...answered, repeat: 2 },
        { fault: 'silent', repeat: 'always' },
      ],
      async (model) => {
        const endpoint = `${model.origin}/v1`;
        await whileRunning(words(endpoint, 'tree', '-k', '4', '--jobs', '2'), async (child, ended) => {
          await until(
            async () =>
              (
                await Promise.all(
                  [0, 1, 2, 3].map((index) =>
                    readFile(sample('tree', index, 'grade.json')).then(
                      () => 1,
                      () => 0,
                    ),
                  ),
                )
              ).reduce<number>((sum, one) => sum + one, 0) === 2,
          );
          for (const more of [[], ['--resume']])
            assertRefused(await assay(words(endpoint, 'tree', ...more)), /tree is in use by another assay process/);
          assertRefused(
            await assay(['bax', 'eval', '--results', join(directory, 'tree')]),
            /is in use by another assay process/,
          );
          child.kill('SIGKILL');
          await ended;
        });
      },
    );
    assertRefused(
      await assay(words('http://127.0.0.1:9/v1', 'tree')),
      /holds something else \(an evaluation; --resume goes on with it\)/,
    );
    await withModel([answered], async (model) => {
      const { all, unanswered } = report(
        await assay(words(`${model.origin}/v1`, 'tree', '-k', '4', '--resume', '--json')),
      );
      assert.deepEqual(
        [all.samples, all.sec_pass['@4']?.value, unanswered.samples, model.requests.length],
        [4, 1, 0, 2],
        'two were answered before',
      );
    });
    assert.deepEqual((await readdir(join(directory, 'tree'))).sort(), ['eval.json', 'm', 'report.json']);
  });

  test('of a service that takes the question and says nothing, half of something, or nonsense, ends with one line, and can be begun anew', async () => {
    const half: Server = createServer(
      (_, response) => void response.writeHead(200, { 'content-length': 1000 }).write('{"choices": [{'),
    );
    half.listen(0, '127.0.0.1');
    await once(half, 'listening');
    const address = half.address();
    assert.ok(typeof address === 'object' && address !== null);
    try {
      const ended = await assay(words(`http://127.0.0.1:${address.port}/v1`, 'anew', '--request-timeout', '0.2'));
      assert.deepEqual([ended.exitCode, ended.stdout], [1, '']);
      assert.match(ended.stderr, /\nerror: the model at http:[^\n]* did not answer: no whole answer within 0\.2 s\n$/);
    } finally {
      half.closeAllConnections();
      half.close();
    }
    await withModel([{ fault: 'silent', repeat: 'always' }], async (model) => {
      const { exitCode, stderr } = await assay([
        ...words(`${model.origin}/v1`, 'anew', '--request-timeout', '0.2'),
        '--max-tokens',
        '100',
      ]);
      assert.deepEqual([exitCode, model.requests.length], [1, 4], stderr);
      assert.match(stderr, /did not answer: no answer within 0\.2 s\n$/);
    });
    await withModel([{ say: 'x'.repeat(9_000_000) }, answered], async (model) => {
      const long = await assay(words(`${model.origin}/v1`, 'anew'));
      assert.match(long.stderr, /did not answer: an answer of more than 8388608 bytes\n$/);
      assert.equal(
        report(await assay(words(`${model.origin}/v1`, 'anew', '--json'))).all.sec_pass['@1']?.value,
        1,
        'nothing was answered there, so nothing is in the way',
      );
    });
  });

  test('ends by Ctrl-C, and leaves its lock to nobody', async () => {
    await withModel(
      [
        { ...answered, repeat: 1 },
        { fault: 'silent', repeat: 'always' },
      ],
      async (model) => {
        await whileRunning(words(`${model.origin}/v1`, 'stopped', '-k', '2', '--jobs', '1'), async (child, ended) => {
          await until(
            async () =>
              model.requests.length >= 2 &&
              (await readFile(sample('stopped', 0, 'grade.json'))
                .catch(() => readFile(sample('stopped', 1, 'grade.json')))
                .then(
                  () => true,
                  () => false,
                )),
          );
          child.kill('SIGINT');
          assert.deepEqual(await ended, [130, null]);
        });
        assert.deepEqual((await readdir(join(directory, 'stopped'))).sort(), ['eval.json', 'm']);
      },
    );
  });
});

describe('a place for output that takes none', () => {
  const evaluation = [
    'bax',
    'eval',
    '--model',
    'm',
    '--endpoint',
    'http://127.0.0.1:9/v1',
    '--scenarios',
    'Calculator',
    '--envs',
    'Python-Flask',
    '--out',
  ];
  const places = [
    ['/proc/x', /it takes nothing new/],
    ['/dev/null/x', /no directory/],
  ] as const;
  // Both places for one command; the others share the code that looks at them, and take turns.
  for (const [index, line] of [
    evaluation,
    evaluation,
    ['bax', 'task', '--scenario', 'Calculator', '--framework', 'Python-Flask', '--out'],
    ['bax', 'task', '--scenarios', 'Calculator', '--envs', 'Python-Flask', '--out'],
    ['bax', 'export', '--verifiers'],
    ['standard', 'new', 'test_cases', '--out'],
    ['key', 'new', '--out'],
  ].entries()) {
    const [place, why] = places[index % 2 === 0 ? 0 : 1];
    test(`${line.slice(0, 2).join(' ')} ${line.at(-1)} ${place}`, async () => {
      const ended = await assay([...line, place]);
      assertRefused(ended, why);
      assert.match(ended.stderr, /^error: cannot write to /);
    });
  }

  test('and a cache', async () => {
    const env = { ASSAY_CACHE: '/proc/x' };
    const standard = join(directory, 'standard.json');
    assert.equal((await assay(['standard', 'new', 'test_cases', '--out', standard])).exitCode, 0);
    assertRefused(await assay(['standard', 'add', standard], { env }), /cannot keep content in \/proc\/x\/content: /);
    const app = join(import.meta.dirname, '../../packages/bax/apps/frameworks/python-flask');
    assertRefused(
      await assay(['bax', 'grade', '--scenario', 'Calculator', '--framework', 'Python-Flask', '--code', app], { env }),
      /cannot write to \/proc\/x\/layers: /,
    );
  });

  test('bax export --out', async () =>
    assertRefused(
      await assay(['bax', 'export', '--out', '/proc/x.jsonl']),
      /cannot write to \/proc\/x\.jsonl: [^\n]*it takes nothing new/,
    ));

  test('run --out, which had been made a task for', async () => {
    const task = join(directory, 'task');
    assert.equal(
      (await assay(['bax', 'task', '--scenario', 'Calculator', '--framework', 'Python-Flask', '--out', task])).exitCode,
      0,
    );
    const env = { ASSAY_KEY: join(directory, 'key.pem') };
    assertRefused(
      await assay(['run', task, '--agent', 'nop', '--out', '/proc/x'], { env }),
      /^error: cannot write to /,
    );
    assertRefused(
      await assay(['grade', task, '--submission', task, '--receipt', '/proc/x'], { env }),
      /no directory|cannot write to/,
    );
  });
});
