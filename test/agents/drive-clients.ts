/**
 * Drives four coding agents as they come from npm, at the pinned or at a given version, by one script of the fake
 * model, each in a sandbox that has the model and nothing else: it reads a file, writes one, changes one, and runs a
 * command. Then it compares what they asked with what the model lane allows. Exits 1 when one did not do its work, or
 * asked something that the lane refuses. On demand, as the agents are 100 to 400 MB each:
 *
 *     node test/agents/drive-clients.ts [--provider NAME] [--script FILE] [--json] [NAME[@VERSION]…]
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CliAgent } from '../../packages/engine/src/agents/cli/cli-agent.ts';
import { MODELS, originInside, runSandboxed } from '../../packages/engine/src/agents/cli/drive-cli.fixture.ts';
import { CLI_RECIPES, findCliAgent } from '../../packages/engine/src/agents/cli/find-cli-agent.ts';
import type { ModelDialect } from '@assay/lanes/model-lane/contract';
import { LANE_DIALECTS } from '@assay/lanes/model-lane/dialects/lane-dialects';
import { parseScript } from '../../packages/lanes/src/fake-model/script.ts';
import type { FakeModelLogEntry } from '../../packages/lanes/src/fake-model/serve-fake-model.ts';
import { startFakeModel } from '../../packages/lanes/src/fake-model/start-fake-model.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { laneNews, type LaneNews } from './lane-news.ts';

const SCRIPT = {
  turns: [
    { say: 'I read the file first.', tools: [{ name: 'read_file', arguments: { path: 'greeting.txt' } }] },
    {
      say: 'Now I write one.',
      tools: [{ name: 'write_file', arguments: { path: 'answer.txt', content: 'forty two\nand more\n' } }],
    },
    {
      say: 'And change the first.',
      tools: [{ name: 'edit_file', arguments: { path: 'greeting.txt', old: 'good morning', new: 'good evening' } }],
    },
    {
      say: 'And run a command.',
      tools: [
        { name: 'run_shell', arguments: { command: 'cat greeting.txt answer.txt > both.txt; echo the command ran' } },
      ],
    },
    { say: 'All is done.' },
  ],
};

interface Drive extends LaneNews {
  agent: string;
  version: string;
  dialect: ModelDialect;
  /** It did what the script says. */
  works: boolean;
  end: string;
  seconds: number;
  requests: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { provider: { type: 'string' }, script: { type: 'string' }, json: { type: 'boolean', default: false } },
});
const script = values.script === undefined ? SCRIPT : parseScript(await readFile(values.script, 'utf8'), values.script);
const names = CLI_RECIPES.map(({ name }) => name);
const drives: Drive[] = [];
for (const name of positionals.length === 0 ? names : positionals) {
  const agent = findCliAgent(name);
  if (agent === null) throw new Error(`there are ${names.join(', ')}`);
  await agent.install({ cacheDirectory: cacheDirectory() });
  for (const dialect of agent.recipe.dialects) {
    const driven = await drive(agent, dialect);
    drives.push(driven);
    if (!values.json) process.stdout.write(inWords(driven));
  }
}
if (values.json) process.stdout.write(`${JSON.stringify({ drives }, null, 2)}\n`);
process.exitCode = drives.every(({ works, refused }) => works && refused.length === 0) ? 0 : 1;

async function drive(agent: CliAgent, dialect: ModelDialect): Promise<Drive> {
  const requests: FakeModelLogEntry[] = [];
  const place = await mkdtemp(join(tmpdir(), 'assay-drive-'));
  const service = await startFakeModel({ script, onRequest: (entry) => requests.push(entry) });
  const bridge = net.createServer((inside) => {
    const outside = net.connect(Number(new URL(service.origin).port), '127.0.0.1');
    inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
    outside.on('error', () => inside.destroy());
    inside.pipe(outside).pipe(inside);
  });
  try {
    const socket = join(place, 'model.sock');
    await new Promise<void>((resolve) => bridge.listen(socket, resolve));
    const model = MODELS[agent.recipe.name] ?? 'scripted';
    const { run, change, totalMs } = await runSandboxed(
      agent,
      {
        tree: { 'greeting.txt': 'hello\ngood morning\nbye\n' },
        timeoutMs: 300_000,
        provider: values.provider || undefined,
      },
      {
        socket,
        model,
        token: 'token-of-the-drive',
        endpoints: { [dialect]: `${originInside}${LANE_DIALECTS[dialect].basePath}` },
      },
    );
    const both = Buffer.from(change.files.find(({ path }) => path === 'both.txt')?.content ?? '').toString('utf8');
    const works = run.end.state === 'ended' && both === 'hello\ngood evening\nbye\nforty two\nand more\n';
    return {
      agent: agent.recipe.name,
      version: agent.version,
      dialect,
      works,
      end: `${run.end.state}: ${run.end.detail}`,
      seconds: Math.round(totalMs / 100) / 10,
      requests: requests.length,
      ...laneNews(requests, model),
    };
  } finally {
    bridge.close();
    await service.close();
    await rm(place, { recursive: true, force: true });
  }
}

function inWords({
  agent,
  version,
  dialect,
  works,
  end,
  seconds,
  requests,
  refused,
  stripped,
  headers,
  tools,
}: Drive): string {
  const lines = [
    `${works ? 'works' : 'FAILS'}  ${agent} ${version} by ${dialect}: ${requests} requests in ${seconds} s; ${end}`,
    `  tools: ${tools.join(', ')}`,
    ...(stripped.length > 0 ? [`  taken out: ${stripped.join('; ')}`] : []),
    ...(headers.length > 0 ? [`  headers that stay behind: ${headers.join(', ')}`] : []),
    ...refused.map((field) => `  NEW, refused by the lane: ${field}`),
  ];
  return `${lines.join('\n')}\n`;
}
