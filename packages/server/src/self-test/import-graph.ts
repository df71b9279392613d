import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { z } from 'zod';

/** Files and directories that each source file needs, as paths from the root. A directory stands for all its files. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

const SOURCE = /^(packages\/[^/]+\/(src|build)|test|bench)\/.*\.ts$/;
const FOREIGN = new Set(['node_modules', '.git', '.assay']);
/** Anything quoted that could be a path or a package: imports, scripts that are started, data that is read. */
const QUOTED = /(['"`])([\w@./-]+)\1/g;

const Manifest = z.object({ exports: z.record(z.string(), z.unknown()).optional() });

/**
 * Reads which file names which. An import counts, and so does every other quoted path that leads from the file's own
 * directory to something there: a test that starts `join(import.meta.dirname, 'worker.ts')` needs it as much.
 */
export async function readImportGraph(root: string): Promise<ImportGraph> {
  const files = new Set<string>();
  const directories = new Set<string>();
  const walk = async (directory: string): Promise<void> => {
    directories.add(directory);
    for (const entry of await readdir(join(root, directory), { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (!entry.isDirectory()) files.add(path);
      else if (!FOREIGN.has(entry.name)) await walk(path);
    }
  };
  await walk('.');
  const resolver = new Resolver(root, { files, directories });
  const graph = new Map<string, ReadonlySet<string>>();
  for (const file of files) if (SOURCE.test(file)) graph.set(file, await resolver.needsOf(file));
  return graph;
}

class Resolver {
  readonly #root: string;
  readonly #files: ReadonlySet<string>;
  readonly #directories: ReadonlySet<string>;
  readonly #exports = new Map<string, Promise<Record<string, unknown>>>();

  constructor(root: string, { files, directories }: { files: Set<string>; directories: Set<string> }) {
    this.#root = root;
    this.#files = files;
    this.#directories = directories;
  }

  async needsOf(file: string): Promise<Set<string>> {
    const text = await readFile(join(this.#root, file), 'utf8');
    const words = new Set(Array.from(text.matchAll(QUOTED), ([, , word = '']) => word));
    const needs = new Set<string>();
    for (const word of words) {
      for (const target of await this.#targetsOf(word, file)) if (this.#isNeed(target, file)) needs.add(target);
    }
    return needs;
  }

  /** Longer paths may begin at the root of the checkout, as in `join(ROOT, 'docs/cli.md')`. */
  async #targetsOf(word: string, file: string): Promise<string[]> {
    if (word.startsWith('@assay/')) return [await this.#ofPackage(word)].filter((target) => target !== null);
    const path = normalize(word).replace(/\/$/, '');
    const target = join(dirname(file), path);
    return path.includes('/') && !path.startsWith('.') ? [target, path] : [target];
  }

  /** A directory around the file itself is a place to start from, and nothing that it needs as a whole. */
  #isNeed(target: string, file: string): boolean {
    return (
      this.#files.has(target) || (this.#directories.has(target) && relative(target, dirname(file)).startsWith('..'))
    );
  }

  async #ofPackage(word: string): Promise<string | null> {
    const [, name = '', ...rest] = word.split('/');
    const directory = join('packages', name);
    const targets = await this.#exportsOf(directory);
    const subpath = ['.', ...rest].join('/');
    const exact = sourceOf(targets[subpath]);
    if (exact !== null) return join(directory, exact);
    for (const [pattern, target] of Object.entries(targets)) {
      const [before = '', after] = pattern.split('*');
      if (after === undefined || !subpath.startsWith(before) || !subpath.endsWith(after)) continue;
      const source = sourceOf(target);
      const middle = subpath.slice(before.length, subpath.length - after.length);
      if (source !== null) return join(directory, source.replaceAll('*', middle));
    }
    return null;
  }

  #exportsOf(directory: string): Promise<Record<string, unknown>> {
    let found = this.#exports.get(directory);
    if (!found) {
      found = readFile(join(this.#root, directory, 'package.json'), 'utf8').then(
        (text) => Manifest.parse(JSON.parse(text)).exports ?? {},
        () => ({}),
      );
      this.#exports.set(directory, found);
    }
    return found;
  }
}

/** The TypeScript source among the conditions of one entry of `exports`. */
function sourceOf(target: unknown): string | null {
  if (typeof target === 'string') return target.endsWith('.ts') ? target : null;
  if (typeof target !== 'object' || target === null) return null;
  for (const [condition, inner] of Object.entries(target)) {
    const source = condition === 'types' ? null : sourceOf(inner);
    if (source !== null) return source;
  }
  return null;
}
