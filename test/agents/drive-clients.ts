/**
 * Drives four coding agents, as they come from npm, by one script of the fake model, with no network but loopback where that can be had (root):
 * each reads a file, writes one, changes one, and runs a command. Another script, with a fault in it, has to lead to the same. On demand, as the
 * agents are 100 to 400 MB each:
 *
 *     node test/agents/drive-clients.ts [--prefix DIR] [--script FILE] [NAME[=MODEL]…]
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseScript } from '@assay/engine/models/fake-model/script';
import { startFakeModel } from '@assay/engine/models/fake-model/start-fake-model';
import { runCommand } from '@assay/sandbox';
import { CLIENT_RECIPES, type ClientRecipe } from './client-recipes.ts';

const PROMPT = 'Follow the plan.\n';
const SCRIPT = {
  turns: [
    { say: 'I read the file first.', tools: [{ name: 'read_file', arguments: { path: 'greeting.txt' } }] },
    { say: 'Now I write one.', tools: [{ name: 'write_file', arguments: { path: 'answer.txt', content: 'forty two\nand more\n' } }] },
    { say: 'And change the first.', tools: [{ name: 'edit_file', arguments: { path: 'greeting.txt', old: 'good morning', new: 'good evening' } }] },
    { say: 'And run a command.', tools: [{ name: 'run_shell', arguments: { command: 'cat greeting.txt answer.txt > both.txt; echo the command ran' } }] },
    { say: 'All is done.' },
  ],
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { prefix: { type: 'string' }, script: { type: 'string' }, inside: { type: 'boolean' } } });
const script = values.script === undefined ? SCRIPT : parseScript(await readFile(values.script, 'utf8'), values.script);
const prefix = resolve(values.prefix ?? (await mkdtemp(join(tmpdir(), 'assay-clients-'))));
const wanted = positionals.length === 0 ? CLIENT_RECIPES.map(({ name }) => name) : positionals;
const chosen = wanted.map((word) => {
  const [name, model] = word.split('=');
  const recipe = CLIENT_RECIPES.find((one) => one.name === name);
  assert.ok(recipe !== undefined, `there are ${CLIENT_RECIPES.map((one) => one.name).join(', ')}`);
  return { ...recipe, model: model ?? recipe.model };
});

if (values.inside) {
  for (const recipe of chosen) await drive(recipe);
} else {
  for (const recipe of chosen) await install(recipe);
  const isolated = process.getuid?.() === 0;
  const again = [process.execPath, import.meta.filename, '--inside', '--prefix', prefix, ...(values.script === undefined ? [] : ['--script', values.script]), ...wanted];
  const argv = isolated ? ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...again] : again;
  say(isolated ? 'network: loopback only' : 'network: the host\'s, as this is not root');
  const { stdout, stderr, exitCode } = await runCommand(argv, { env: { PATH: process.env['PATH'] ?? '' } });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode ?? 1;
  if (values.prefix === undefined) await rm(prefix, { recursive: true, force: true });
}

async function install({ name, package: source, version }: ClientRecipe): Promise<void> {
  const folder = join(prefix, name);
  const installed = await readFile(join(folder, 'node_modules', source, 'package.json'), 'utf8').catch(() => '{}');
  if (JSON.parse(installed).version === version) return;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private": true}');
  const { exitCode, stderr } = await runCommand(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', `${source}@${version}`], { cwd: folder, timeoutMs: 600_000 });
  assert.equal(exitCode, 0, stderr.toString('utf8'));
}

async function drive(recipe: ClientRecipe): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'assay-home-'));
  const work = await mkdtemp(join(tmpdir(), 'assay-work-'));
  const log = join(home, 'requests.jsonl');
  const model = await startFakeModel({ script, log });
  try {
    await writeFile(join(work, 'greeting.txt'), 'hello\ngood morning\nbye\n');
    const { argv, env } = await recipe.prepare(home, model.endpoints, recipe.model);
    const PATH = [join(prefix, recipe.name, 'node_modules/.bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    const began = performance.now();
    const { exitCode, stdout, stderr } = await runCommand(argv, { cwd: work, env: { PATH, HOME: home, TMPDIR: home, ...env }, stdin: PROMPT, timeoutMs: 100_000 });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const both = await readFile(join(work, 'both.txt'), 'utf8').catch(() => '');
    const answered = (await readFile(log, 'utf8')).trim().split('\n').map((line): string => JSON.parse(line).answered);
    const works = exitCode === 0 && both === 'hello\ngood evening\nbye\nforty two\nand more\n';
    say(`${works ? 'works' : 'FAILS'}  ${recipe.name} ${recipe.version} ${recipe.model}: exit ${exitCode}, ${seconds} s; ${answered.join(', ')}`);
    if (!works) {
      say(`both.txt: ${JSON.stringify(both)}\n${stdout.toString('utf8').slice(-6000)}\n${stderr.toString('utf8').slice(-3000)}`);
      process.exitCode = 1;
    }
  } finally {
    await model.close();
    for (const folder of [home, work]) await rm(folder, { recursive: true, force: true });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
