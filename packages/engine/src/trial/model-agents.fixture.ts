import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError, type ErrorCode, type Trial, type JobResult } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import type { Agent, AgentContext } from '../agents/agent.ts';
import type { ModelLaneEntry } from '@assay/lanes/model-lane/contract';
import type { ScriptEntryInput } from '../../../lanes/src/fake-model/script.ts';
import type { FakeModelService } from '../../../lanes/src/fake-model/serve-fake-model.ts';
import { startFakeModel } from '../../../lanes/src/fake-model/start-fake-model.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { makeCache } from '@assay/testkit';
import { resolveAgentModel, type AgentModelOptions } from './lanes/agent-model.ts';
import { makeDemoTask } from '../commands/demo/demo-task.fixture.ts';
import { makeStandardTask } from '../commands/make-standard-task.ts';
import { openTask } from '../kinds/open-task.ts';
import { runJob, type RunJobOptions } from '../job/run-job.ts';
import { runTrial } from './run-trial.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';

export const KEY = 'sk-the-real-key-0123456789abcdef';
export const RIGHT = 'function twice(a, b) { return b === undefined ? a + a : a + b; }\n';
const DOUBLE = {
  type: 'test_cases',
  title: 'Say it twice',
  functionName: 'twice',
  description: 'Returns the text two times.',
  cases: [
    { input: ['a'], expected: 'aa' },
    { input: ['b', 'c'], expected: 'bc' },
  ],
};
export const GUARD =
  "  if (count > 0 && widths.every((width) => width === 0)) throw new RangeError('records of zero width');\n  const records = [];\n";
export const EDIT: ScriptEntryInput = {
  say: 'The guard.',
  tools: [{ name: 'edit_file', arguments: { path: 'src/read-table.js', old: '  const records = [];\n', new: GUARD } }],
};
export const WRITE: ScriptEntryInput = {
  tools: [{ name: 'write_file', arguments: { path: 'solution.js', content: RIGHT } }],
};
export const shell = (command: string): ScriptEntryInput => ({
  tools: [{ name: 'run_shell', arguments: { command } }],
});
export const FAST = { backOffMs: 1, attempts: 4 };

/** Paths that the tests of a file share. */
export const bench = { home: '', repositoryTask: '', standardTask: '' };
let counter = 0;
const saved = { ...process.env };

/**
 * Makes the task of a standard and, unless told otherwise, that of a repository, and sets the key in the environment.
 */
export async function setUpBench({ repository = true } = {}): Promise<void> {
  bench.home = await mkdtemp(join(tmpdir(), 'assay-model-agents-'));
  await makeCache(join(bench.home, 'cache'));
  Object.assign(process.env, {
    ASSAY_CACHE: join(bench.home, 'cache'),
    ASSAY_KEY: join(bench.home, 'receipt-key.pem'),
    ASSAY_MODEL_KEY: KEY,
  });
  bench.standardTask = join(bench.home, 'standard-task');
  await writeFile(join(bench.home, 'standard.json'), JSON.stringify(DOUBLE));
  await writeFile(join(bench.home, 'reference.js'), RIGHT);
  await makeStandardTask({
    standard: join(bench.home, 'standard.json'),
    reference: join(bench.home, 'reference.js'),
    out: bench.standardTask,
  });
  if (!repository) return;
  bench.repositoryTask = (await makeDemoTask(bench.home)).task;
}

export async function tearDownBench(): Promise<void> {
  for (const name of ['ASSAY_CACHE', 'ASSAY_KEY', 'ASSAY_MODEL_KEY'])
    if (saved[name] === undefined) delete process.env[name];
  Object.assign(process.env, saved);
  await rm(bench.home, { recursive: true, force: true });
}

export async function withModel<T>(
  turns: readonly ScriptEntryInput[],
  use: (model: FakeModelService) => Promise<T>,
): Promise<T> {
  const model = await startFakeModel({ script: { turns } });
  try {
    return await use(model);
  } finally {
    await model.close();
  }
}

interface OneTrial {
  job: JobResult;
  trial: Trial;
  directory: string;
  entries: ModelLaneEntry[];
  model: FakeModelService;
}

/** A job of one trial against a fake model. */
export async function attempt(
  path: string,
  agent: string,
  turns: readonly ScriptEntryInput[],
  { model: options = {}, ...others }: Partial<Omit<RunJobOptions, 'model'>> & { model?: AgentModelOptions } = {},
): Promise<OneTrial> {
  return withModel(turns, async (model) => {
    const job = await runJob({
      path,
      agent,
      out: join(bench.home, `job-${counter++}`),
      ...others,
      model: { name: 'm-1', endpoint: model.endpoints.openai, policy: FAST, ...options },
    });
    const [trial] = job.trials;
    assert.ok(trial);
    const [id = ''] = await readdir(join(job.directory, 'trials'));
    const directory = join(job.directory, 'trials', id);
    return { job, trial, directory, entries: await readEntries(directory), model };
  });
}

export async function readEntries(directory: string): Promise<ModelLaneEntry[]> {
  const lines = (await readFile(join(directory, 'model.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line): ModelLaneEntry => JSON.parse(line));
}

export async function filesWith(directory: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true })) {
    const path = join(directory, entry);
    if ((await stat(path)).isFile() && (await readFile(path)).includes(text)) found.push(entry);
  }
  return found;
}

export const submitted = async (directory: string): Promise<string[]> => {
  const manifest: { files: { path: string }[] } = JSON.parse(
    await readFile(join(directory, 'submission', 'manifest.json'), 'utf8'),
  );
  return manifest.files.map(({ path }) => path);
};
export const refused = (work: Promise<unknown>, code: ErrorCode, pattern: RegExp): Promise<void> =>
  assert.rejects(
    work,
    (error) =>
      AssayError.is(error) && error.code === code && pattern.test(error.message) && !error.message.includes(KEY),
  );

/** An agent of a test, which asks a model. */
export const agentOf = (run: Agent['run']): Agent => ({ name: 'probe', model: { dialects: ['openai-chat'] }, run });

/** A shell line that asks the model once, reads the answer and prints the status. */
export function ask(
  model: AgentContext['model'],
  { token = model?.token ?? '', stream = false, words = 'hello' } = {},
): string {
  const script = `import json, urllib.request
request = urllib.request.Request('${model?.endpoints['openai-chat']}/chat/completions', json.dumps({'model': 'm-1', 'messages': [{'role': 'user', 'content': '${words}'}], 'stream': ${stream ? 'True' : 'False'}}).encode(), {'authorization': 'Bearer ${token}', 'content-type': 'application/json'})
try:
    answer = urllib.request.urlopen(request); answer.read(); print(answer.status)
except urllib.error.HTTPError as error: print(error.code)`;
  return `python3 -c "${script.replaceAll('"', '\\"')}"`;
}

export async function trialOf(
  agent: Agent,
  options: AgentModelOptions,
  others: Partial<TrialRequest> = {},
): Promise<TrialResult> {
  const provider = await chooseProvider('bubblewrap');
  const task = await openTask(bench.standardTask, { provider, cacheDirectory: cacheDirectory() });
  const agentModel = await resolveAgentModel(agent, { name: 'm-1', policy: FAST, ...options });
  return runTrial({ task, agent, attempt: 1, provider, unsealed: new Set(), agentModel, ...others });
}
