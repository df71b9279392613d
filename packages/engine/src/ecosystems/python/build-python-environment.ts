import { join } from 'node:path';
import type { EnvironmentSpec } from '@assay/protocol';
import { fetchPythonTool } from '@assay/lanes/package-lane/tool-download';
import { cutoffs } from '../cutoffs.ts';
import type { BuildRequest, PreparedEnvironment } from '../ecosystem.ts';
import { firstPlanThatWorks } from '../first-plan-that-works.ts';
import { buildProject } from './build-project.ts';
import { chooseInterpreter } from './choose-interpreter.ts';
import { findInterpreters } from './find-interpreters.ts';
import { importsSetuptools } from './imports-setuptools.ts';
import { openPythonEnvironment, pythonDigest } from './open-python-environment.ts';
import { pythonShownTree } from './python-shown-tree.ts';
import { readPythonTree } from './read-python-tree.ts';
import { withoutVersions } from './read-requirements.ts';
import { resolvePython, type ResolveInputs } from './resolve-python.ts';
import { workspaceRequirements, type WorkspaceRequirements } from './workspace-requirements.ts';

/** One way to ask for an environment. */
interface Plan extends Pick<ResolveInputs, 'cutoff' | 'requirements' | 'constraints' | 'extras'> {
  resolution: EnvironmentSpec['resolution'];
}

/** Builds the environment of a Python tree as of T0; see {@link Ecosystem.buildEnvironment}. */
export async function buildPythonEnvironment(request: BuildRequest): Promise<PreparedEnvironment> {
  const { treeDirectory, t0, provider, cacheDirectory, signal, log } = request;
  const { manifests, exclude, members, wish, places } = await readPythonTree(treeDirectory);
  const interpreter = chooseInterpreter(await findInterpreters(), wish, t0);
  const common = { signal, log };
  const uv = await fetchPythonTool('uv', join(cacheDirectory, 'tools'), { cacheDirectory, signal });
  const fixed = { interpreter, exclude };
  const directories = members.map(({ directory }) => directory);
  const described = { ...fixed, places, shown: await pythonShownTree(treeDirectory, directories) };
  const context = { treeDirectory, uv, provider, cacheDirectory, ...common };
  const asked = await workspaceRequirements({
    tree: treeDirectory,
    manifests,
    name: places[0]?.name ?? '',
    members,
    projectNames: exclude,
  });
  if (!exclude.includes('setuptools') && (await importsSetuptools(treeDirectory)))
    asked.requirements.push('setuptools');
  const {
    plan,
    built: { projects, wheelhouse },
  } = await firstPlanThatWorks({
    plans: plansFor(asked, t0),
    build: async ({ cutoff, requirements, constraints, extras }) => {
      const ours = await buildProject({ ...described, cutoff }, context);
      const inputs = { ...fixed, cutoff, requirements, constraints, extras };
      return { projects: ours, wheelhouse: await resolvePython(inputs, ours, context) };
    },
    nameOf: ({ resolution, cutoff }) => `${resolution} at ${cutoff.toISOString()}`,
    log,
  });
  const missing = projects.flatMap((project) => project.missing);
  if (missing.length > 0) log?.(`the build generates modules that the tree lacks: ${missing.join(', ')}`);
  const spec: EnvironmentSpec = {
    ecosystem: 'python',
    interpreter: interpreter.version,
    digest: await pythonDigest(wheelhouse.directory, interpreter.version),
    resolution: plan.resolution,
    cutoff: plan.cutoff.toISOString(),
    pins: wheelhouse.pins,
    excluded: exclude,
  };
  const environment = await openPythonEnvironment(spec, {
    wheelhouse: wheelhouse.directory,
    interpreter,
    provider,
    cacheDirectory,
    ...common,
  });
  return projects.some(({ compiled }) => compiled.length > 0)
    ? { ...environment, compiledFrom: COMPILED }
    : environment;
}

/** Sources of extension modules: C, C++, Cython, Rust and Fortran. */
const COMPILED =
  /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|pyx|pxd|pxi|rs|f|f90|build)$|(?:^|\/)(?:CMakeLists\.txt|Cargo\.(?:toml|lock))$/;

/** Lists the plans, best first: with T0's pins, then by dates alone, finally with only the project and pytest. */
function plansFor({ requirements, constraints, extras, locked }: WorkspaceRequirements, t0: Date): Plan[] {
  const dates = cutoffs(t0);
  const plans: Plan[] = [];
  if (locked)
    plans.push(
      ...dates.map((cutoff) => ({ cutoff, requirements, constraints, extras, resolution: 'lockfile' as const })),
    );
  const free = locked ? requirements.map(withoutVersions) : requirements;
  plans.push(
    ...dates.map((cutoff) => ({ cutoff, requirements: free, constraints: [], extras, resolution: 'date' as const })),
  );
  plans.push({ cutoff: t0, requirements: ['pytest'], constraints: [], extras, resolution: 'date' });
  return plans;
}
