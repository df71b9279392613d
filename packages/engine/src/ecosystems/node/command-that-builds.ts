import { posix } from 'node:path';
import type { TestCommand } from '@assay/protocol';
import { withoutFlood } from '../telling-text.ts';
import { listTree } from '../tree-files.ts';
import { buildScript, madeAndAbsent } from './build-before-tests.ts';
import { workspaceDirectories } from './node-project-names.ts';
import { readPackage, type PackageJson } from './read-package.ts';

/** How loaders of modules, bundlers and the file system say that something is not there. */
const LACKS =
  /cannot find (?:module|package)|(?:failed|unable) to (?:resolve|load)|(?:could not|can't|cannot) resolve|MODULE_NOT_FOUND|ENOENT|no such file/i;
/** What is installed of others is not there for reasons that no build mends. */
const INSTALLED = /node_modules\/(?:\.pnpm\/[^/]+\/node_modules\/)?((?:@[^/\s"']+\/)?[^/\s"']+)(?:\/[^\s"']*)?/g;
const MAX_PACKAGES = 100;

interface Package {
  directory: string;
  manifest: PackageJson;
  /** Directories that it offers and T0 lacks. */
  absent: string[];
}

/** See {@link Ecosystem.commandThatBuilds}. The build of the root makes all, where it has one. */
export async function nodeCommandThatBuilds(
  tree: string,
  command: TestCommand,
  log: string,
): Promise<TestCommand | null> {
  const packages = await unbuiltPackages(tree);
  const names = new Set(packages.flatMap(({ manifest }) => manifest.name ?? []));
  const lines = withoutFlood(log)
    .split('\n')
    .filter((line) => LACKS.test(line))
    .map((line) => line.replaceAll(INSTALLED, (whole, name: string) => (names.has(name) ? ` "${name}" ` : ' ')));
  const missed = packages.filter((each) => lines.some((line) => tellsOf(line, each)));
  if (missed.length === 0) return null;
  const root = buildScript((await readPackage(tree))?.scripts ?? {});
  const builds = root === null ? buildsOf(missed, packages) : [`npm run ${root}`];
  const added = builds.map((line) => `--before=${line}`).filter((word) => !command.args.includes(word));
  return added.length === 0 ? null : { ...command, args: [...added, ...command.args] };
}

async function unbuiltPackages(tree: string): Promise<Package[]> {
  const found: Package[] = [];
  for (const directory of ['.', ...(await workspaceDirectories(tree)).slice(0, MAX_PACKAGES)]) {
    // Empty, too, for a directory that a link takes out of the tree.
    if ((await listTree(tree, directory)).length === 0) continue;
    const manifest = await readPackage(tree, directory);
    const absent = manifest ? await madeAndAbsent(tree, directory) : [];
    if (manifest && absent.length > 0) found.push({ directory, manifest, absent });
  }
  return found;
}

/** Whether a line names the package, or a directory that it lacks. */
function tellsOf(line: string, { directory, manifest: { name }, absent }: Package): boolean {
  const places = absent.map((each) => (directory === '.' ? each : posix.join(directory, each)));
  const relative = absent.map((each) => String.raw`\.\.?/${escaped(each)}`);
  const words = [...(name === undefined ? [] : [escaped(name)]), ...places.map(escaped), ...relative];
  return new RegExp(String.raw`(?:^|[\s"'\`(/])(?:${words.join('|')})(?=$|[\s"'\`),:;/])`).test(line);
}

/** Builds packages one by one, each after those that it depends on. */
function buildsOf(missed: readonly Package[], packages: readonly Package[]): string[] {
  const lines = new Set<string>();
  const seen = new Set<Package>();
  const visit = (each: Package): void => {
    if (seen.has(each)) return;
    seen.add(each);
    const { dependencies, devDependencies, peerDependencies, scripts } = each.manifest;
    const needed = { ...peerDependencies, ...devDependencies, ...dependencies };
    for (const other of packages) if ((other.manifest.name ?? '') in needed) visit(other);
    const script = buildScript(scripts);
    if (script !== null) lines.add(`cd '${each.directory.replaceAll("'", String.raw`'\''`)}' && npm run ${script}`);
  };
  for (const each of missed) visit(each);
  return [...lines];
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
