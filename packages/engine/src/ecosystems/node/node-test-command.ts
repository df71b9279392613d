import { posix } from 'node:path';
import { TestCommand } from '@assay/protocol';
import { listTree } from '../tree-files.ts';
import { addonsBeforeTests, buildBeforeTests } from './build-before-tests.ts';
import { runnerOfFile, runnerOfTests, startedFile } from './node-test-files.ts';
import { workspaceDirectories } from './node-project-names.ts';
import { workspaceCommand, type PackageCommand } from './node-workspace-command.ts';
import { readPackage, type PackageJson } from './read-package.ts';
import { runnerArguments, type NodeRunner } from './runner-arguments.ts';
import { splitShellLine } from './split-shell-line.ts';

interface Found {
  /** `file`: node, or a compiler in its place, runs a test file; the file tells which runner that is. */
  runner: NodeRunner | 'file';
  words: string[];
}

const MAX_DEPTH = 6;
/** Programs that run another one; their own flags end where its name begins. */
const WRAPPERS = new Set([
  'c8',
  'nyc',
  'cross-env',
  'cross-env-shell',
  'env',
  'npx',
  'bunx',
  'dotenv',
  'exec',
  'time',
  'start-server-and-test',
  'xvfb-run',
  'nodemon',
  'istanbul',
  'cover',
]);
const SCRIPT_RUNNERS = new Set(['run-s', 'run-p', 'npm-run-all', 'run-z', 'concurrently']);
/** Programs that a wrapper may start, beside the runners that Assay does not know. */
const STARTERS = new Set('node vitest jest mocha _mocha ava tape borp glob tsx ts-node npm npx pnpm yarn'.split(' '));
const FOREIGN_RUNNERS = new Set([
  'tap',
  'jasmine',
  'karma',
  'lab',
  'uvu',
  'bun',
  'deno',
  'tst',
  'zora',
  'qunit',
  'web-test-runner',
  'wtr',
  'cypress',
  'playwright',
]);

/**
 * Finds the runner that `npm test` would start, with the flags that decide what runs and how it loads. Ignores linters,
 * compilers and coverage tools around it. Null when the tree names no runner, or one that Assay does not know.
 */
export async function nodeTestCommand(tree: string): Promise<TestCommand | null> {
  const manifest = await readPackage(tree);
  if (!manifest) return null;
  const read = fromScripts(manifest);
  if (read === 'foreign') return null;
  const found = read
    ? await known(read, tree)
    : ((await configured(manifest, tree)) ??
      (await workspaceCommand(tree, await workspaceDirectories(tree), scriptsOf)) ??
      (await known(await fromDependencies(manifest, tree), tree)));
  return found && TestCommand.parse({ ecosystem: 'node', ...(await built(found, manifest, tree)) });
}

/** Adds what has to be built before the tests. */
async function built(command: PackageCommand, manifest: PackageJson, tree: string): Promise<PackageCommand> {
  const lines = [await addonsBeforeTests(tree), await buildBeforeTests(tree, manifest)].filter((line) => line !== null);
  return { ...command, args: [...lines.map((line) => `--before=${line}`), ...command.args] };
}

/** The command that the scripts of a package name; null when its manifest is missing or names none. */
async function scriptsOf(directory: string): Promise<PackageCommand | null> {
  const manifest = await readPackage(directory);
  const read = manifest && fromScripts(manifest);
  const found = read === 'foreign' ? null : await known(read, directory);
  return manifest && found && built(found, manifest, directory);
}

async function known(found: Found | null, tree: string): Promise<PackageCommand | null> {
  const resolved = found?.runner === 'file' ? await fromFile(found, tree) : found;
  if (!resolved || resolved.runner === 'file') return null;
  return { runner: resolved.runner, args: runnerArguments(resolved.runner, resolved.words) };
}

/** `node test/index.js`, where the file or those beside it are tests of a runner that needs no program of its own. */
async function fromFile({ words }: Found, tree: string): Promise<Found | null> {
  const word = words.findLast((each) => isTestPath(each)) ?? '';
  const path = await startedFile(tree, word);
  const runner = path === null ? null : await runnerOfFile(tree, path);
  return path === null || runner === null
    ? null
    : { runner, words: words.map((each) => (each === word ? path : each)) };
}

const isTestPath = (word: string): boolean => /\b(?:test|spec)/.test(word) && !word.startsWith('-');

function fromScripts(manifest: PackageJson): Found | 'foreign' | null {
  const names = [
    'test',
    'test:unit',
    'test:node',
    'tests',
    'unit',
    'test:all',
    'test:ci',
    'test:run',
    'vitest',
    'jest',
    'mocha',
  ].filter((name) => manifest.scripts[name]);
  return best(names.map((name) => readScript(manifest, name, 0)));
}

function readScript(manifest: PackageJson, name: string, depth: number): Found | 'foreign' | null {
  const script = manifest.scripts[name];
  if (script === undefined || depth > MAX_DEPTH) return null;
  return best(splitShellLine(script).map((command) => readCommand(command, { manifest, nodeFlags: [], depth })));
}

/** The first that names a runner, else the first that runs a file. */
function best(all: (Found | 'foreign' | null)[]): Found | 'foreign' | null {
  const found = all.filter((each) => each !== null && each !== 'foreign');
  return found.find(({ runner }) => runner !== 'file') ?? found[0] ?? (all.includes('foreign') ? 'foreign' : null);
}

interface Reading {
  manifest: PackageJson;
  /** Flags of a NODE_OPTIONS in front of the command. */
  nodeFlags: string[];
  /** Number of scripts and wrappers around the command. */
  depth: number;
}

function readCommand(command: string[], reading: Reading): Found | 'foreign' | null {
  const { manifest, nodeFlags, depth } = reading;
  const [head = '', ...rest] = command;
  const assignment = /^([A-Za-z_]\w*)=(.*)$/.exec(head);
  if (assignment)
    return readCommand(rest, {
      ...reading,
      nodeFlags: assignment[1] === 'NODE_OPTIONS' ? splitShellLine(assignment[2] ?? '').flat() : nodeFlags,
    });
  const program = programName(head);
  if (program === 'node' || program === 'tsx' || program === 'ts-node') return readNode(program, rest, reading);
  if (program === 'vitest')
    return ['bench', 'list', 'init'].includes(rest[0] ?? '')
      ? null
      : {
          runner: 'vitest',
          words: rest.filter((word, index) => !(index === 0 && /^(run|watch|dev|related)$/.test(word))),
        };
  if (program === 'jest') return { runner: 'jest', words: [...nodeFlags, ...rest] };
  if (program === 'mocha' || program === '_mocha' || program === 'ts-mocha' || program === 'electron-mocha') {
    return {
      runner: 'mocha',
      words: [...nodeFlags, ...(program === 'ts-mocha' ? ['--require', 'ts-node/register'] : []), ...rest],
    };
  }
  if (program === 'ava') return { runner: 'ava', words: rest };
  if (program === 'tape') return { runner: 'tape', words: [...nodeFlags, ...rest] };
  if (program === 'borp') return { runner: 'node:test', words: [...nodeFlags, ...borpWords(rest)] };
  if (program === 'glob') return readGlob(rest, reading);
  if (FOREIGN_RUNNERS.has(program) && !isWrapper(program, rest)) return 'foreign';
  const scripts = calledScripts(manifest, program, rest);
  for (const script of scripts) {
    const found = readScript(manifest, script, depth + 1);
    if (found) return found;
  }
  if (scripts.length > 0) return null;
  if (WRAPPERS.has(program) || ['npm', 'pnpm', 'yarn', 'bun'].includes(program)) return readWrapped(rest, reading);
  return null;
}

/** `bun run x` and `bun vitest` start what they name; `bun test` is a runner. */
const isWrapper = (program: string, words: string[]): boolean =>
  program === 'bun' && words.find((word) => !word.startsWith('-')) !== 'test';

/** Returns the name of the runner that `npm test` starts and Assay does not know; null when it names none. */
export async function foreignNodeRunner(tree: string): Promise<string | null> {
  const commands = splitShellLine((await readPackage(tree))?.scripts['test'] ?? '');
  for (const words of commands) {
    const at = words.findIndex((word, index) => {
      const program = programName(word);
      return FOREIGN_RUNNERS.has(program) && !isWrapper(program, words.slice(index + 1));
    });
    const name = programName(words[at] ?? '');
    if (at !== -1) return name === 'bun' ? 'bun test' : name;
  }
  return null;
}

function readNode(program: string, words: string[], reading: Reading): Found | 'foreign' | null {
  const { nodeFlags, depth } = reading;
  const loader =
    program === 'tsx' ? ['--import', 'tsx'] : program === 'ts-node' ? ['--require', 'ts-node/register'] : [];
  if (words.includes('--test'))
    return { runner: 'node:test', words: [...loader, ...nodeFlags, ...words.filter((word) => word !== '--test')] };
  const entry = words.findIndex(
    (word) => /(^|\/)node_modules\//.test(word) || /(^|\/)(_?mocha|jest|vitest|ava|tape)(\.[cm]?js)?$/.test(word),
  );
  if (entry === -1)
    return words.some(isTestPath) ? { runner: 'file', words: [...loader, ...nodeFlags, ...words] } : null;
  const found = readCommand(words.slice(entry), { ...reading, nodeFlags: [], depth: depth + 1 });
  return found === null || found === 'foreign'
    ? found
    : { runner: found.runner, words: [...loader, ...nodeFlags, ...words.slice(0, entry), ...found.words] };
}

/** borp finds files, and runs them with node:test. */
function borpWords(words: string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const pattern = /^(?:-p|--pattern)(?:=(.*))?$/.exec(word);
    if (pattern) kept.push(pattern[1] ?? words[(index += 1)] ?? '');
    else if (/^(?:-[ctriXw]|--(?:concurrency|timeout|reporter|ignore|coverage-exclude))$/.test(word)) index += 1;
    else if (!word.startsWith('-') || word === '--expose-gc') kept.push(word);
  }
  return kept;
}

/** `glob -c "node --test" "test/*.ts"` runs a command with what the patterns find. */
function readGlob(words: string[], reading: Reading): Found | 'foreign' | null {
  const at = words.findIndex((word) => word === '-c' || word === '--cmd');
  const [command] = splitShellLine(words[at + 1] ?? '');
  if (at === -1 || !command || reading.depth > MAX_DEPTH) return null;
  const patterns = words.filter((word, index) => index !== at && index !== at + 1 && !word.startsWith('-'));
  return readCommand([...command, ...patterns], { ...reading, depth: reading.depth + 1 });
}

function readWrapped(words: string[], reading: Reading): Found | 'foreign' | null {
  const { depth } = reading;
  if (depth > MAX_DEPTH) return null;
  const start = words.findIndex(
    (word) => /^[A-Za-z_]\w*=/.test(word) || STARTERS.has(programName(word)) || FOREIGN_RUNNERS.has(programName(word)),
  );
  return start === -1 ? null : readCommand(words.slice(start), { ...reading, depth: depth + 1 });
}

/** Lists the manifest's scripts that a call of a package manager or script runner names. */
function calledScripts(manifest: PackageJson, program: string, words: string[]): string[] {
  const named = words.filter((word) => !word.startsWith('-'));
  if (SCRIPT_RUNNERS.has(program)) return named.flatMap((word) => expandPattern(manifest, word.replace(/^npm:/, '')));
  if (!['npm', 'pnpm', 'yarn', 'bun', 'npm-run'].includes(program)) return [];
  const verb = named[0] ?? '';
  if (['run', 'run-script', 'rum'].includes(verb))
    return manifest.scripts[named[1] ?? ''] === undefined ? [] : [named[1] ?? ''];
  if (verb === 'test' || verb === 't') return ['test'].filter((name) => manifest.scripts[name] !== undefined);
  return program !== 'npm' && manifest.scripts[verb] !== undefined ? [verb] : [];
}

function expandPattern(manifest: PackageJson, pattern: string): string[] {
  if (!pattern.includes('*')) return manifest.scripts[pattern] === undefined ? [] : [pattern];
  const prefix = pattern.slice(0, pattern.indexOf('*'));
  return Object.keys(manifest.scripts).filter((name) => name.startsWith(prefix));
}

function programName(word: string): string {
  const base = posix.basename(word.replaceAll('\\', '/')).replace(/\.([cm]?js|cmd)$/, '');
  return (
    /(^|\/)node_modules\/(vitest|jest|mocha|jest-cli|ava|tape)\//.exec(word)?.[2]?.replace('jest-cli', 'jest') ?? base
  );
}

/** Files at the root that configure a runner. */
const CONFIGURATIONS: [NodeRunner, RegExp][] = [
  ['vitest', /^vitest\.(config|workspace|projects)\./],
  ['jest', /^jest\.config\./],
  ['mocha', /^\.mocharc/],
  ['ava', /^ava\.config\./],
];

/** The runner that the root configures, though no script of it names one. */
async function configured(manifest: PackageJson, tree: string): Promise<PackageCommand | null> {
  const root = (await listTree(tree, '.')).map(({ name }) => name);
  const file = CONFIGURATIONS.find(([, pattern]) => root.some((name) => pattern.test(name)));
  if (file) return { runner: file[0], args: [] };
  if (manifest.jest !== undefined) return { runner: 'jest', args: [] };
  return manifest.mocha === undefined ? null : { runner: 'mocha', args: [] };
}

async function fromDependencies(manifest: PackageJson, tree: string): Promise<Found | null> {
  const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };
  const runner =
    (['vitest', 'jest', 'mocha', 'ava'] as const).find((name) => name in dependencies) ?? (await runnerOfTests(tree));
  return runner === null ? null : { runner, words: [] };
}
