import { join } from 'node:path';
import { collectRequirements, type TestRequirements } from './collect-requirements.ts';
import { normalizeName } from './declared-names.ts';
import type { PythonManifests } from './read-manifests.ts';
import { requirementName } from './read-requirements.ts';
import type { WorkspaceMember } from './workspace-members.ts';

/** Requirements of the tests of a whole workspace. */
export interface WorkspaceRequirements extends Omit<TestRequirements, 'extras'> {
  /** Extras by the normalised name of the project that may offer them. */
  extras: Record<string, string[]>;
}

export interface Workspace {
  tree: string;
  manifests: PythonManifests;
  /** What the root is called. */
  name: string;
  members: readonly WorkspaceMember[];
  /** Normalised names of all of its projects. */
  projectNames: string[];
}

/**
 * Puts together what the tests of the root and of each member require. Where two lockfiles pin a package differently,
 * neither does.
 */
export async function workspaceRequirements({
  tree,
  manifests,
  name,
  members,
  projectNames,
}: Workspace): Promise<WorkspaceRequirements> {
  const root = await collectRequirements(tree, manifests, projectNames);
  const all = [root];
  const extras: Record<string, string[]> = { [normalizeName(name)]: root.extras };
  for (const member of members) {
    const own = await collectRequirements(join(tree, member.directory), member.manifests, projectNames);
    extras[member.name] = own.extras;
    all.push(own);
  }
  const stated = [manifests, ...members.map((member) => member.manifests)].flatMap((each, index) =>
    statedDependencies(each, all[index]?.extras ?? []),
  );
  const foreign = stated.filter((each) => !projectNames.includes(requirementName(each)));
  return {
    requirements: unique([...all.flatMap(({ requirements }) => requirements), ...foreign]),
    constraints: withoutConflicts(unique(all.flatMap(({ constraints }) => constraints))),
    extras,
    locked: all.some(({ locked }) => locked),
  };
}

/** What a manifest without a build system states: nothing else may tell of it. */
function statedDependencies({ pyproject }: PythonManifests, extras: readonly string[]): string[] {
  if (pyproject['build-system'] !== undefined) return [];
  const optional = Object.entries(pyproject.project?.['optional-dependencies'] ?? {});
  return [
    ...(pyproject.project?.dependencies ?? []),
    ...optional.flatMap(([extra, lines]) => (extras.includes(normalizeName(extra)) ? lines : [])),
  ];
}

const unique = (lines: string[]): string[] => [...new Set(lines)].sort();

function withoutConflicts(constraints: string[]): string[] {
  const counts = new Map<string, number>();
  for (const each of constraints) counts.set(requirementName(each), (counts.get(requirementName(each)) ?? 0) + 1);
  const isLocal = (each: string): boolean => counts.get(requirementName(each)) === 1 || !/^[^;]*===?/.test(each);
  return constraints.filter(isLocal);
}
