import { posix } from 'node:path';
import { readPackage, type PackageJson } from './read-package.ts';
import { runnerArguments, type NodeRunner } from './runner-arguments.ts';
import type { Variables } from './script-variables.ts';
import { splitShellLine } from './split-shell-line.ts';

/** A runner that a script starts. */
export interface Found {
  /** `file`: node, or a compiler in its place, runs a test file; the file tells which runner that is. */
  runner: NodeRunner | 'file';
  words: string[];
  /** That the scripts set for it. */
  variables: Variables;
}
/** `foreign`: one that Assay does not know. */
export type Read = Found | 'foreign';

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
const STARTERS = new Set(
  'node vitest jest mocha _mocha ava tape tap jasmine jasmine-ts borp glob tsx ts-node npm npx pnpm yarn'.split(' '),
);
const FOREIGN_RUNNERS = new Set([
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

export const isTestPath = (word: string): boolean => /\b(?:test|spec)/.test(word) && !word.startsWith('-');

/** What the first script that names a runner starts, in its order; else all that scripts of tests start. */
export function fromScripts(manifest: PackageJson): Read[] {
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
  const read = names.map((name) => readScript(name, { manifest, nodeFlags: [], variables: {}, depth: 0 }));
  const isNamed = (all: Read[]): boolean => all.some((each) => each !== 'foreign' && each.runner !== 'file');
  return read.find(isNamed) ?? read.flat();
}

/**
 * The first that names a runner, else the first that runs a file. Of several that differ in their files and variables
 * alone, the one without: it is the whole suite, as people run it.
 */
export function best(all: readonly Read[]): Read | null {
  const found = all.filter((each) => each !== 'foreign');
  const first = found.find(({ runner }) => runner !== 'file') ?? found[0];
  if (first === undefined) return all[0] ?? null;
  const flags = flagsOf(first);
  const alike = found.filter((each) => each.runner === first.runner && flagsOf(each) === flags);
  const whole = alike.filter((each) => argumentsOf(each) === flags);
  const chosen = whole.length > 0 ? whole : alike.filter((each) => argumentsOf(each) === argumentsOf(first));
  return chosen.find(({ variables }) => Object.keys(variables).length === 0) ?? chosen[0] ?? first;
}

const argumentsOf = ({ runner, words }: Found): string =>
  (runner === 'file' ? words : runnerArguments(runner, words)).join(' ');

/** Its arguments without those that may be files. */
const flagsOf = (found: Found): string =>
  argumentsOf({ ...found, words: found.words.filter((word, at) => isFlag(word) || isFlag(found.words[at - 1])) });

const isFlag = (word = ''): boolean => word.startsWith('-');

function readScript(name: string, reading: Reading): Read[] {
  const script = reading.manifest.scripts[name];
  if (script === undefined || reading.depth > MAX_DEPTH) return [];
  return splitShellLine(script).flatMap((command) => readCommand(command, reading));
}

interface Reading {
  manifest: PackageJson;
  /** Flags of a NODE_OPTIONS in front of the command. */
  nodeFlags: string[];
  variables: Variables;
  /** Number of scripts and wrappers around the command. */
  depth: number;
}

function readCommand(command: string[], reading: Reading): Read[] {
  const { manifest, nodeFlags, variables, depth } = reading;
  const [head = '', ...rest] = command;
  const assignment = /^([A-Za-z_]\w*)=(.*)$/.exec(head);
  if (assignment) return readCommand(rest, withAssignment(reading, assignment[1] ?? '', assignment[2] ?? ''));
  const program = programName(head);
  if (program === 'node' || program === 'tsx' || program === 'ts-node') return readNode(program, rest, reading);
  if (program === 'vitest') {
    if (['bench', 'list', 'init'].includes(rest[0] ?? '')) return [];
    const words = rest.filter((word, index) => !(index === 0 && /^(run|watch|dev|related)$/.test(word)));
    return [{ runner: 'vitest', words, variables }];
  }
  if (program === 'jest') return [{ runner: 'jest', words: [...nodeFlags, ...rest], variables }];
  if (program === 'mocha' || program === '_mocha' || program === 'ts-mocha' || program === 'electron-mocha') {
    const loader = program === 'ts-mocha' ? ['--require', 'ts-node/register'] : [];
    return [{ runner: 'mocha', words: [...nodeFlags, ...loader, ...rest], variables }];
  }
  if (program === 'ava') return [{ runner: 'ava', words: rest, variables }];
  if (program === 'tape') return [{ runner: 'tape', words: [...nodeFlags, ...rest], variables }];
  if (program === 'tap') return [{ runner: 'tap', words: [...nodeFlags, ...tapWords(rest)], variables }];
  if (program === 'jasmine' || program === 'jasmine-ts') {
    const loader = program === 'jasmine-ts' ? ['--require', 'ts-node/register'] : [];
    return [{ runner: 'jasmine', words: [...nodeFlags, ...loader, ...rest], variables }];
  }
  if (program === 'borp') return [{ runner: 'node:test', words: [...nodeFlags, ...borpWords(rest)], variables }];
  if (program === 'glob') return readGlob(rest, reading);
  if (FOREIGN_RUNNERS.has(program) && !isWrapper(program, rest)) return ['foreign'];
  const scripts = calledScripts(manifest, program, rest);
  if (scripts.length > 0)
    return scripts.flatMap((script) => readScript(script, { ...reading, nodeFlags: [], depth: depth + 1 }));
  if (WRAPPERS.has(program) || ['npm', 'pnpm', 'yarn', 'bun'].includes(program)) return readWrapped(rest, reading);
  return [];
}

function withAssignment(reading: Reading, name: string, value: string): Reading {
  if (name === 'NODE_OPTIONS') return { ...reading, nodeFlags: splitShellLine(value).flat() };
  return { ...reading, variables: { ...reading.variables, [name]: value } };
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

function readNode(program: string, words: string[], reading: Reading): Read[] {
  const { nodeFlags, variables, depth } = reading;
  const loader =
    program === 'tsx' ? ['--import', 'tsx'] : program === 'ts-node' ? ['--require', 'ts-node/register'] : [];
  if (words.includes('--test')) {
    const rest = words.filter((word) => word !== '--test');
    return [{ runner: 'node:test', words: [...loader, ...nodeFlags, ...rest], variables }];
  }
  const entry = words.findIndex(
    (word) =>
      /(^|\/)node_modules\//.test(word) || /(^|\/)(_?mocha|jest|vitest|ava|tape|tap|jasmine)(\.[cm]?js)?$/.test(word),
  );
  if (entry === -1)
    return words.some(isTestPath) ? [{ runner: 'file', words: [...loader, ...nodeFlags, ...words], variables }] : [];
  return readCommand(words.slice(entry), { ...reading, nodeFlags: [], depth: depth + 1 }).map((found) =>
    found === 'foreign'
      ? found
      : { ...found, words: [...loader, ...nodeFlags, ...words.slice(0, entry), ...found.words] },
  );
}

/** tap's own commands and short flags mean nothing to node; flags for node come in `--node-arg`. */
function tapWords(words: string[]): string[] {
  return words
    .filter((word, index) => !(index === 0 && /^(?:run|test)$/.test(word)) && !/^-[A-Za-z]/.test(word))
    .map((word) => word.replace(/^--node-arg=/, ''));
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
function readGlob(words: string[], reading: Reading): Read[] {
  const at = words.findIndex((word) => word === '-c' || word === '--cmd');
  const [command] = splitShellLine(words[at + 1] ?? '');
  if (at === -1 || !command || reading.depth > MAX_DEPTH) return [];
  const patterns = words.filter((word, index) => index !== at && index !== at + 1 && !word.startsWith('-'));
  return readCommand([...command, ...patterns], { ...reading, depth: reading.depth + 1 });
}

function readWrapped(words: string[], reading: Reading): Read[] {
  const { depth } = reading;
  if (depth > MAX_DEPTH) return [];
  const start = words.findIndex(
    (word) => /^[A-Za-z_]\w*=/.test(word) || STARTERS.has(programName(word)) || FOREIGN_RUNNERS.has(programName(word)),
  );
  return start === -1 ? [] : readCommand(words.slice(start), { ...reading, depth: depth + 1 });
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
    /(^|\/)node_modules\/(vitest|jest|mocha|jest-cli|ava|tape|tap|jasmine)\//
      .exec(word)?.[2]
      ?.replace('jest-cli', 'jest') ?? base
  );
}
