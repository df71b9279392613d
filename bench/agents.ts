/**
 * How long each agent takes from its start to its first request to the model, in a sandbox beside the same program
 * outside of one: in turns, so that what else this machine does falls on both. Agents from npm are installed into the
 * cache first, 100 to 400 MB each.
 *
 *     node bench/agents.ts [--rounds 5] [--provider bubblewrap] [--json] [NAME[@VERSION]…]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { Agent, AgentModel } from '../packages/engine/src/agents/agent.ts';
import { CLI_RECIPES, findCliAgent } from '../packages/engine/src/agents/cli/find-cli-agent.ts';
import { cliPlatform } from '../packages/engine/src/agents/cli/install-cli.ts';
import { MODELS } from '../packages/engine/src/agents/cli/drive-cli.fixture.ts';
import { findAgent } from '../packages/engine/src/agents/index.ts';
import { LANE_DIALECTS } from '@assay/lanes/model-lane/dialects/lane-dialects';
import { startFakeModel } from '../packages/lanes/src/fake-model/start-fake-model.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { chooseProvider, type Sandbox } from '@assay/sandbox';

const PORT = 7001;
const OWN = ['loop', 'single-turn'];
const PROGRAMS = new URL('../packages/engine/src/agents/programs/', import.meta.url).pathname;

/** One way to start an agent; ends it when it has asked. */
type Start = (ended: AbortSignal) => Promise<unknown>;
/** A command that starts an agent outside a sandbox. */
interface Program {
  argv: string[];
  env: Record<string, string>;
  files: Record<string, string>;
  stdin: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    provider: { type: 'string', default: 'bubblewrap' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const provider = await chooseProvider(values.provider);
const place = await mkdtemp(join(tmpdir(), 'assay-bench-agents-'));
let onRequest: (() => void) | undefined;
const service = await startFakeModel({
  script: { turns: [{ say: 'Done.' }] },
  onRequest: ({ method }) => (method === 'POST' ? onRequest?.() : undefined),
});
const bridge = net.createServer((inside) => {
  const outside = net.connect(Number(new URL(service.origin).port), '127.0.0.1');
  inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
  outside.on('error', () => inside.destroy());
  inside.pipe(outside).pipe(inside);
});
const socket = join(place, 'model.sock');
await new Promise<void>((resolve) => bridge.listen(socket, resolve));
try {
  const agents = [];
  for (const name of positionals.length > 0 ? positionals : [...OWN, ...CLI_RECIPES.map((recipe) => recipe.name)]) {
    const measured = await measure(name);
    agents.push(measured);
    if (!values.json)
      console.log(
        `${measured.agent} ${measured.version ?? ''}: outside ${measured.outsideMs} ms, inside ${measured.insideMs} ms, ${measured.ratio} times`,
      );
  }
  if (values.json)
    console.log(
      JSON.stringify({ provider: provider.name, rounds, processors: availableParallelism(), agents }, null, 2),
    );
} finally {
  bridge.close();
  await service.close();
  await rm(place, { recursive: true, force: true });
}

async function measure(
  name: string,
): Promise<{ agent: string; version: string | null; outsideMs: number; insideMs: number; ratio: number }> {
  const agent = findAgent(name);
  if ('cheat' in agent) throw new Error('a cheat asks no model');
  await agent.install?.({ cacheDirectory: cacheDirectory() });
  const [outside, inside]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const home = join(place, `home-${name}-${round}`);
    await mkdir(home);
    const program = await programOf(name, home);
    outside.push(await untilFirstRequest((ended) => runOutside(program, home, ended)));
    await rm(home, { recursive: true, force: true });
    const sandbox = await makeSandbox(agent);
    try {
      inside.push(await untilFirstRequest((ended) => runInside(agent, sandbox, ended)));
    } finally {
      await sandbox.destroy();
    }
  }
  const [outsideMs, insideMs] = [median(outside), median(inside)];
  return {
    agent: agent.name,
    version: agent.version ?? null,
    outsideMs: Math.round(outsideMs),
    insideMs: Math.round(insideMs),
    ratio: Math.round((insideMs / outsideMs) * 100) / 100,
  };
}

/** Milliseconds. */
async function untilFirstRequest(start: Start): Promise<number> {
  const asked = Promise.withResolvers<number>();
  const ended = new AbortController();
  const began = performance.now();
  onRequest = () => {
    onRequest = undefined;
    asked.resolve(performance.now() - began);
  };
  const running = start(ended.signal).then(
    () => asked.reject(new Error('it ended without a request')),
    (error: unknown) => asked.reject(error),
  );
  try {
    return await asked.promise;
  } finally {
    ended.abort();
    await running;
  }
}

function modelOf(name: string, agent: Agent, origin: string): AgentModel {
  const [dialect = 'openai-chat'] = agent.model?.dialects ?? [];
  return {
    name: MODELS[name.split('@')[0] ?? ''] ?? 'scripted',
    token: 'token-of-the-bench',
    endpoints: { [dialect]: `${origin}${LANE_DIALECTS[dialect].basePath}` },
  };
}

async function makeSandbox(agent: Agent): Promise<Sandbox> {
  const t0Directory = join(place, 't0');
  await mkdir(t0Directory, { recursive: true });
  const outfit = await agent.outfit?.({ cacheDirectory: cacheDirectory(), t0Directory });
  return provider.create({ mounts: outfit?.mounts ?? [], network: { kind: 'lanes', lanes: [{ port: PORT, socket }] } });
}

async function runInside(agent: Agent, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  const context = {
    sandbox,
    instruction: 'Say done.\n',
    answer: 'answer.txt',
    timeoutMs: 300_000,
    reference: async () => null,
    model: modelOf(agent.name, agent, `http://127.0.0.1:${PORT}`),
    signal,
  };
  const { exec } = await agent.run(context).catch(() => ({ exec: null }));
  if (!signal.aborted) throw new Error(exec?.stderr.slice(-2000) ?? 'it did not start');
}

/** The same program, as `agents/` starts it inside. */
async function programOf(name: string, home: string): Promise<Program> {
  const cli = findCliAgent(name);
  const agent = findAgent(name);
  if ('cheat' in agent) throw new Error('a cheat asks no model');
  const model = modelOf(name, agent, service.origin);
  if (cli === null) {
    const request = {
      instruction: 'Say done.\n',
      answer: 'answer.txt',
      address: { baseUrl: model.endpoints['openai-chat'], token: model.token, model: model.name },
      limits: { turns: 1, outputBytes: 1000, shownBytes: 1000 },
      ends: {},
    };
    return {
      argv: [process.execPath, join(PROGRAMS, `${name}.mjs`)],
      env: {},
      files: {},
      stdin: JSON.stringify(request),
    };
  }
  const { directory } = await cli.install({ cacheDirectory: cacheDirectory() });
  const [dialect = 'openai-chat'] = cli.recipe.dialects;
  const { argv, env, files } = cli.recipe.launch({
    model: model.name,
    dialect,
    endpoint: model.endpoints[dialect] ?? '',
    token: model.token,
    modules: join(directory, 'node_modules'),
    platform: cliPlatform(),
    home,
  });
  const [first = '', ...rest] = argv;
  // As root, one of them wants to be told that it is not on somebody's machine.
  return {
    argv: [first === 'node' ? process.execPath : first, ...rest],
    env: { ...env, IS_SANDBOX: '1' },
    files,
    stdin: 'Say done.\n',
  };
}

async function runOutside(
  { argv: [command = '', ...words], env, files, stdin }: Program,
  home: string,
  signal: AbortSignal,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const child = spawn(command, words, {
    cwd: home,
    env: { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr = `${stderr}${String(chunk)}`.slice(-2000)));
  child.stdin.on('error', () => {}).end(stdin);
  const kill = (): void => void (child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'));
  signal.addEventListener('abort', kill, { once: true });
  const exited = once(child, 'exit');
  await exited;
  signal.removeEventListener('abort', kill);
  if (!signal.aborted) throw new Error(stderr);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
