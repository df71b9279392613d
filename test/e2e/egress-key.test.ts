import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FakeModelService } from '../../packages/lanes/src/fake-model/serve-fake-model.ts';
import { startFakeModel } from '../../packages/lanes/src/fake-model/start-fake-model.ts';
import { assay, inheritedEnvironment, type Ended } from './assay-process.ts';
import { runCommand } from '@assay/sandbox';

const KEY = 'sk-searched-for-9f8e7d6c5b4a39281706';
/** As it stands, and as it would be found in what was encoded: base64 at each of three offsets, hexadecimal. */
const SPELLINGS = [
  KEY,
  KEY.toUpperCase(),
  [...KEY].toReversed().join(''),
  Buffer.from(KEY).toString('hex'),
  encodeURIComponent(KEY),
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${' '.repeat(offset)}${KEY}`)
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  ),
];
const STANDARD = {
  type: 'test_cases',
  title: 'Say it twice',
  functionName: 'twice',
  description: 'Returns the text two times.',
  cases: [{ input: ['a'], expected: 'aa' }],
};
const RIGHT = 'function twice(a) { return a + a; }\n';
/** Commands that print what a process inside can see of itself, of others, and of memory written to files. */
const LOOK = [
  'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"',
  'env',
  'cat /proc/self/mountinfo /proc/net/unix',
  'find / -xdev -type f -newermt 2020-01-01 -size -200k \\( -path "/run/*" -o -path "/tmp/*" -o -path "/opt/*" -o -path "/home/*" -o -path "/workspace/*" \\) 2>/dev/null | head -200 | xargs cat 2>/dev/null',
].join('; ');
const DUMP =
  'ulimit -c unlimited 2>/dev/null; cd /tmp; ulimit -c; sh -c "kill -SEGV \\$\\$"; ls /tmp /workspace | grep -i core && echo "a core was writ""ten"; echo "look""ed"';

let directory = '';
let model: FakeModelService;
const file = (name: string): string => join(directory, name);
const environment = (): Record<string, string> => ({
  OPENAI_API_KEY: '',
  ANTHROPIC_API_KEY: '',
  GEMINI_API_KEY: '',
  GOOGLE_API_KEY: '',
  ASSAY_CACHE: file('cache'),
  ASSAY_KEY: file('receipt-key.pem'),
  ASSAY_MODEL_KEY: KEY,
});

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-key-'));
  const shell = (command: string): { tools: { name: string; arguments: { command: string } }[] } => ({
    tools: [{ name: 'run_shell', arguments: { command } }],
  });
  model = await startFakeModel({
    script: {
      turns: [
        shell(LOOK),
        shell(DUMP),
        { tools: [{ name: 'write_file', arguments: { path: 'solution.js', content: RIGHT } }] },
        { say: 'Done.' },
      ],
    },
  });
  await writeFile(file('standard.json'), JSON.stringify(STANDARD));
  await writeFile(file('reference.js'), RIGHT);
  const made = await assay(
    ['standard', 'task', file('standard.json'), '--reference', file('reference.js'), '--out', file('task')],
    { cwd: directory, env: environment() },
  );
  assert.equal(made.exitCode, 0, made.stderr);
});
after(async () => {
  await model.close();
  await rm(directory, { recursive: true, force: true });
});

const holds = (bytes: Buffer | string): boolean => SPELLINGS.some((spelling) => bytes.includes(spelling));

async function filesThatHold(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(root, { recursive: true })) {
    const path = join(root, entry);
    if ((await stat(path).catch(() => null))?.isFile() && holds(await readFile(path))) found.push(entry);
  }
  return found;
}

test('control: the same search finds the key where it is, in every spelling', async () => {
  const { stdout } = await runCommand(
    [process.execPath, '-e', 'process.stdout.write(require("fs").readFileSync("/proc/self/environ"))'],
    { cwd: '/', env: inheritedEnvironment(environment()) },
  );
  assert.ok(holds(stdout));
  await writeFile(file('planted'), `a ${Buffer.from(`..${KEY}..`).toString('base64')} b`);
  assert.deepEqual(await filesThatHold(directory), ['planted']);
  await rm(file('planted'));
  for (const spelling of [Buffer.from(KEY).toString('base64'), Buffer.from(KEY).toString('hex'), KEY])
    assert.ok(holds(`x${spelling}y`), spelling);
});

test('the key is in no log, record, error, core file, receipt or process of a trial', async () => {
  const before = new Set(await readdir(tmpdir()));
  const run = (words: string[]): Promise<Ended> =>
    assay(
      [
        'run',
        file('task'),
        '--agent',
        'loop',
        '--model',
        'm',
        '--endpoint',
        model.endpoints.openai,
        '--provider',
        'bubblewrap',
        ...words,
      ],
      { cwd: directory, env: environment() },
    );
  const good = await run(['--out', file('job'), '--json']);
  assert.equal(good.exitCode, 0, good.stderr);
  assert.ok(
    model.requests.length >= 4 && model.requests.every(({ key }) => key === KEY),
    'control: the service was asked with the key',
  );
  const dump = JSON.stringify(model.requests.map(({ body }) => body));
  assert.ok(dump.includes('ASSAY_') || dump.includes('PATH='), 'control: the agent looked');
  assert.match(dump, /looked/);
  assert.ok(!dump.includes('a core was written'));
  assert.ok(!holds(dump), 'what the agent saw');
  const failed = await run(['--out', file('failed'), '--endpoint', 'http://127.0.0.1:1/v1']);
  assert.equal(failed.exitCode, 2);
  for (const { stdout, stderr } of [good, failed]) assert.ok(!holds(stdout) && !holds(stderr));
  assert.ok((await readdir(file('job'), { recursive: true })).some((name) => name.endsWith('receipt.json')));
  assert.deepEqual(await filesThatHold(directory), []);
  for (const name of (await readdir(tmpdir())).filter((each) => /^(assay|core)/.test(each) && !before.has(each))) {
    const path = join(tmpdir(), name);
    if ((await stat(path).catch(() => null))?.isDirectory())
      assert.deepEqual(await filesThatHold(path).catch(() => []), [], name);
  }
});
