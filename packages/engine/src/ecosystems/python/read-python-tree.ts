import type { ProjectPlace } from './build-project.ts';
import { interpreterWish, type InterpreterWish } from './choose-interpreter.ts';
import { declaredNames } from './declared-names.ts';
import { pythonProjectNames } from './project-names.ts';
import { readManifests, type PythonManifests } from './read-manifests.ts';
import { workspaceMembers, type WorkspaceMember } from './workspace-members.ts';

/** What a tree says of its projects, without any of its code running. */
export interface PythonTree {
  manifests: PythonManifests;
  members: WorkspaceMember[];
  /** The root, and then the members. */
  places: ProjectPlace[];
  /** Normalised names of all projects. */
  exclude: string[];
  wish: InterpreterWish;
}

export async function readPythonTree(tree: string): Promise<PythonTree> {
  const manifests = await readManifests(tree);
  const exclude = await pythonProjectNames(tree);
  const members = await workspaceMembers(tree, manifests);
  return {
    manifests,
    members,
    places: [
      { directory: '.', name: nameOf(manifests, members, exclude), builds: howItBuilds(manifests) },
      ...members.map(({ directory, name }) => ({ directory, name, builds: 'may' as const })),
    ],
    exclude,
    wish: wishOfAll([manifests, ...members.map((member) => member.manifests)].map(interpreterWish)),
  };
}

/** A project without a build system is none to install for uv, and one of setuptools for pip. */
function howItBuilds({ pyproject, root }: PythonManifests): ProjectPlace['builds'] {
  if (root.includes('setup.py') || pyproject['build-system'] !== undefined) return 'must';
  return pyproject.project === undefined ? 'not' : 'may';
}

/** The root's own name, or one that no member has. */
function nameOf(manifests: PythonManifests, members: readonly WorkspaceMember[], guessed: string[]): string {
  const [declared] = declaredNames(manifests);
  return declared ?? (members.length > 0 ? 'workspace' : (guessed[0] ?? 'workspace'));
}

function wishOfAll(wishes: InterpreterWish[]): InterpreterWish {
  const [first] = wishes;
  return {
    requires: unique(wishes.map(({ requires }) => requires).filter((each) => each !== '')).join(','),
    named:
      first && first.named.length > 0
        ? first.named
        : unique(wishes.flatMap(({ named }) => named)).sort((a, b) => a - b),
  };
}

const unique = <T>(all: readonly T[]): T[] => [...new Set(all)];
