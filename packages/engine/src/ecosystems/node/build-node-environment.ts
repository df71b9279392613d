import type { EnvironmentSpec } from '@assay/protocol';
import { cutoffs } from '../cutoffs.ts';
import type { BuildRequest, PreparedEnvironment } from '../ecosystem.ts';
import { firstPlanThatWorks } from '../first-plan-that-works.ts';
import { chooseNodeMajor, nodeWish } from './choose-node.ts';
import { findNode } from './find-node.ts';
import { installNodeModules, type InstallInputs } from './install-node-modules.ts';
import { nodeShownTree } from './node-shown-tree.ts';
import { locksPackage, NPM_VERSION, readNodeLockfile } from './node-lockfile.ts';
import { nodeProjectNames, workspaceDirectories } from './node-project-names.ts';
import { nodeDigest, openNodeEnvironment } from './open-node-environment.ts';
import { readPackage } from './read-package.ts';
import { refuseOutside } from './refuse-outside.ts';

type Plan = Pick<InstallInputs, 'manager' | 'managerVersion' | 'mode' | 'cutoff' | 'exclude'>;

/** Builds the environment of a JavaScript tree as of T0; see {@link Ecosystem.buildEnvironment}. */
export async function buildNodeEnvironment(request: BuildRequest): Promise<PreparedEnvironment> {
  const { treeDirectory, t0, provider, cacheDirectory, signal, log } = request;
  await refuseOutside(treeDirectory);
  const interpreter = await findNode(
    String(chooseNodeMajor(await nodeWish(treeDirectory), t0)),
    cacheDirectory,
    signal,
  );
  const directRanges = await readDirectRanges(treeDirectory);
  if (Object.keys(directRanges).length === 0)
    return openNodeEnvironment(await emptySpec(interpreter.version, t0), {
      archive: null,
      interpreter,
      cacheDirectory,
    });
  const fixed = { interpreter, directRanges, shown: await nodeShownTree(treeDirectory) };
  const context = { treeDirectory, provider, cacheDirectory, signal, log };
  const { plan, built: installed } = await firstPlanThatWorks({
    plans: await plansFor(treeDirectory, t0),
    build: (each) => installNodeModules({ ...fixed, ...each }, context),
    nameOf: ({ manager, mode, cutoff }) => `${manager} ${mode} at ${cutoff.toISOString()}`,
    log,
  });
  if (installed.notes.length > 0) log?.(`installed ${installed.notes.join(', ')}`);
  const spec: EnvironmentSpec = {
    ecosystem: 'node',
    interpreter: interpreter.version,
    digest: await nodeDigest(installed.archive, interpreter.version),
    resolution: installed.resolution,
    cutoff: plan.cutoff.toISOString(),
    pins: installed.pins,
    excluded: plan.exclude,
  };
  const environment = await openNodeEnvironment(spec, {
    archive: installed.pins.length === 0 ? null : installed.archive,
    interpreter,
    cacheDirectory,
  });
  return { ...environment, notes: installed.notes, ...(installed.compiled && { compiledFrom: COMPILED }) };
}

/** Sources of addons. */
const COMPILED = /\.(?:c|cc|cpp|cxx|h|hh|hpp|gyp|gypi)$/;

/**
 * Lists the plans, best first: T0's lockfile, then the index as it was at the start of T0's month, at the start of its
 * day, and at T0.
 */
async function plansFor(tree: string, t0: Date): Promise<Plan[]> {
  const names = await nodeProjectNames(tree);
  const lockfile = await readNodeLockfile(tree);
  const plans: Plan[] = [];
  if (lockfile) {
    const exclude = names.filter((name) => !locksPackage(lockfile, name));
    plans.push({
      manager: lockfile.manager,
      managerVersion: lockfile.managerVersion,
      mode: 'lockfile',
      cutoff: t0,
      exclude,
    });
  }
  for (const cutoff of cutoffs(t0))
    plans.push({ manager: 'npm', managerVersion: NPM_VERSION, mode: 'frozen', cutoff, exclude: names });
  return plans;
}

/** Reads the dependencies of the root and its workspaces. If two name the same package, the root's range wins. */
async function readDirectRanges(tree: string): Promise<Record<string, string>> {
  const ranges: Record<string, string> = {};
  for (const directory of [...(await workspaceDirectories(tree)), '.']) {
    const manifest = await readPackage(tree, directory);
    if (manifest) Object.assign(ranges, manifest.optionalDependencies, manifest.dependencies, manifest.devDependencies);
  }
  return ranges;
}

async function emptySpec(version: string, t0: Date): Promise<EnvironmentSpec> {
  return {
    ecosystem: 'node',
    interpreter: version,
    digest: await nodeDigest(null, version),
    resolution: 'none',
    cutoff: t0.toISOString(),
    pins: [],
    excluded: [],
  };
}
