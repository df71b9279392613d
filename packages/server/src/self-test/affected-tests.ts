import { dirname } from 'node:path';
import type { ImportGraph } from './import-graph.ts';

/** Files that every test depends on, though none names them. */
const FOUNDATIONS = /^(packages\/[^/]+\/)?package\.json$|^package-lock\.json$|^tsconfig\.json$|^\.npmrc$/;
/** Files here belong to the sources in their folder, even when nothing names them. */
const WITH_SOURCES = /^(packages|test|bench)\//;

/** Those of `tests` that a change of `changed` can affect. All paths are from the root of the checkout. */
export function affectedTests(
  tests: readonly string[],
  { changed, graph }: { changed: readonly string[]; graph: ImportGraph },
): string[] {
  if (changed.some((file) => FOUNDATIONS.test(file))) return [...tests];
  const users = usersOf(graph);
  const affected = new Set<string>();
  const open = [...changed];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (affected.has(file)) continue;
    affected.add(file);
    const direct = placesOf(file).flatMap((place) => users.get(place) ?? []);
    const unnamed = direct.length === 0 && !tests.includes(file) && WITH_SOURCES.test(file);
    open.push(...(unnamed ? neighbours(file, graph) : direct));
  }
  return tests.filter((file) => affected.has(file));
}

function usersOf(graph: ImportGraph): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [file, needs] of graph) {
    for (const need of needs) users.set(need, [...(users.get(need) ?? []), file]);
  }
  return users;
}

/** The file and every directory around it. */
function placesOf(file: string): string[] {
  return file === '.' ? [] : [file, ...placesOf(dirname(file))];
}

/**
 * The sources in the nearest folder around the file that has some: one of them reads it by a name made up as it runs.
 */
function neighbours(file: string, graph: ImportGraph): string[] {
  for (const directory of placesOf(dirname(file))) {
    const sources = [...graph.keys()].filter((source) => source !== file && dirname(source) === directory);
    if (sources.length > 0) return sources;
  }
  return [];
}
