import { TestCommand } from '@assay/protocol';
import { listTree } from '../tree-files.ts';
import { addonsBeforeTests, buildBeforeTests } from './build-before-tests.ts';
import { runnerOfFile, runnerOfTests, startedFile } from './node-test-files.ts';
import { workspaceDirectories } from './node-project-names.ts';
import { workspaceCommand, type PackageCommand } from './node-workspace-command.ts';
import { readPackage, type PackageJson } from './read-package.ts';
import { best, fromScripts, isTestPath, type Found } from './read-scripts.ts';
import { runnerArguments, type NodeRunner } from './runner-arguments.ts';
import { commandsOfVariables, variableWords } from './script-variables.ts';

/**
 * Finds the runner that `npm test` would start, with the flags that decide what runs and how it loads. Ignores linters,
 * compilers and coverage tools around it. Null when the tree names no runner, or one that Assay does not know.
 */
export async function nodeTestCommand(tree: string): Promise<TestCommand | null> {
  const manifest = await readPackage(tree);
  if (!manifest) return null;
  const read = best(fromScripts(manifest));
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
  const read = manifest && best(fromScripts(manifest));
  const found = read === 'foreign' ? null : await known(read, directory);
  return manifest && found && built(found, manifest, directory);
}

async function known(found: Found | null, tree: string): Promise<PackageCommand | null> {
  const resolved = found?.runner === 'file' ? await fromFile(found, tree) : found;
  if (!resolved || resolved.runner === 'file') return null;
  return {
    runner: resolved.runner,
    args: [...variableWords(resolved.variables), ...runnerArguments(resolved.runner, resolved.words)],
  };
}

/** See {@link Ecosystem.otherCommands}: the same command with each of the other variables that the scripts set for its runner, in their order. */
export async function commandsOfOtherVariables(tree: string, command: TestCommand): Promise<TestCommand[]> {
  const manifest = await readPackage(tree);
  const found = (manifest ? fromScripts(manifest) : []).filter((each) => each !== 'foreign');
  const others = found.filter(({ runner }) => runner === command.runner).map(({ variables }) => variables);
  return commandsOfVariables(command, others);
}

/** `node test/index.js`, where the file or those beside it are tests of a runner that needs no program of its own. */
async function fromFile({ words, variables }: Found, tree: string): Promise<Found | null> {
  const word = words.findLast((each) => isTestPath(each)) ?? '';
  const path = await startedFile(tree, word);
  const runner = path === null ? null : await runnerOfFile(tree, path);
  return path === null || runner === null
    ? null
    : { runner, words: words.map((each) => (each === word ? path : each)), variables };
}

/** Files at the root that configure a runner. */
const CONFIGURATIONS: [NodeRunner, RegExp][] = [
  ['vitest', /^vitest\.(config|workspace|projects)\./],
  ['jest', /^jest\.config\./],
  ['mocha', /^\.mocharc/],
  ['ava', /^ava\.config\./],
  ['tap', /^\.taprc$/],
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
    (['vitest', 'jest', 'mocha', 'ava', 'jasmine', 'tap'] as const).find((name) => name in dependencies) ??
    (await runnerOfTests(tree));
  return runner === null ? null : { runner, words: [], variables: {} };
}
