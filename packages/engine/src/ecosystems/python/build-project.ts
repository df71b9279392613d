import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError, canonicalJson } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { z } from 'zod';
import { withBuildBox, type BuildBox } from '../build-box.ts';
import { showWholeTree, type ShownTree } from '../shown-tree.ts';
import { readTreeFile } from '../tree-files.ts';
import { buildVariables, UV } from './build-variables.ts';
import type { PythonInterpreter } from './find-interpreters.ts';
import { interpreterMounts, pythonProgram } from './python-mounts.ts';

const TREE = '/opt/tree';
const WORKSPACE = '/workspace';
const OUT = '/tmp/build/out';
const SCRIPT = '/opt/assay-build/make_editable_wheel.py';
/** Version for projects that take theirs from git tags, which a rebuilt repository lacks: high enough for any `>=`. */
const NEUTRAL_VERSION = '9999.0';
const VERSION_VARIABLES = {
  SETUPTOOLS_SCM_PRETEND_VERSION: NEUTRAL_VERSION,
  PDM_BUILD_SCM_VERSION: NEUTRAL_VERSION,
  PBR_VERSION: NEUTRAL_VERSION,
  POETRY_DYNAMIC_VERSIONING_BYPASS: NEUTRAL_VERSION,
  UV_DYNAMIC_VERSIONING_BYPASS: NEUTRAL_VERSION,
};

const MAX_WHEEL_BYTES = 1024 ** 3;

/** A project of the tree. */
export interface ProjectPlace {
  /** Relative to the tree. */
  directory: string;
  /** What it is called where nothing builds it. */
  name: string;
  /**
   * `must`: a build backend describes it; `may`: if it can, else it is described by its place alone; `not`: no backend
   * knows it.
   */
  builds: 'must' | 'may' | 'not';
}

/** Everything that the project's own wheel depends on. */
export interface ProjectInputs {
  interpreter: PythonInterpreter;
  cutoff: Date;
  exclude: string[];
  /** The root, and then the members of its workspace. */
  places: ProjectPlace[];
  /** The part of the repository that the build sees first; null for all of it. */
  shown: ShownTree | null;
  /** Whether the build asked for a compiler when it saw less. */
  compiles?: boolean;
}

export interface BuildContext {
  treeDirectory: string;
  /** The uv program on the host. */
  uv: string;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

const Project = z.object({
  name: z.string().regex(/^[A-Za-z0-9][\w.-]*$/),
  version: z.string().regex(/^[\w.+!-]+$/),
  wheel: z.string().regex(/^[\w.+!-]+\.whl$/),
  extras: z.array(z.string()),
  roots: z.array(z.string()),
  missing: z.array(z.string()),
  compiled: z.array(z.string()),
});

/** A project as its own backend describes it. */
export interface BuiltProject extends z.infer<typeof Project> {
  /** Path of its wheel, which points at the tree and holds no code of it. */
  file: string;
}

const Outcome = z.union([z.object({ failure: z.string() }), z.object({ projects: z.array(Project) })]);

/**
 * Builds the metadata of the project, which comes first, and of the members of its workspace. The repository's own code may run, so the result is cached by everything that this
 * code could see: at first the files that describe a project and, if they do not suffice, the whole tree. Throws
 * `ENVIRONMENT_FAILED`, `TOOL_MISSING`, `LANE_FAILED` and `BUILD_TIMED_OUT`.
 */
export async function buildProject(inputs: ProjectInputs, context: BuildContext): Promise<BuiltProject[]> {
  const { interpreter, cutoff, exclude, places, compiles = false } = inputs;
  const shown = inputs.shown ?? (await showWholeTree(context.treeDirectory));
  const key = sha256(
    canonicalJson({
      version: 3,
      interpreter: interpreter.version,
      cutoff: cutoff.toISOString(),
      exclude,
      places,
      compiles,
      shown: shown.digest,
    }),
  );
  const directory = await prepareLayer(
    context.cacheDirectory,
    `python-project-${key.slice(0, 32)}`,
    (draft) => buildLayer(draft, { ...inputs, shown }, context),
    { signal: context.signal },
  );
  const outcome = Outcome.parse(JSON.parse(await readFile(join(directory, 'project.json'), 'utf8')));
  if ('projects' in outcome)
    return outcome.projects.map((project) => ({ ...project, file: join(directory, 'wheels', project.wheel) }));
  if (!shown.whole)
    return buildProject({ ...inputs, shown: null, compiles: WANTS_COMPILER.test(outcome.failure) }, context);
  throw new AssayError('ENVIRONMENT_FAILED', { detail: outcome.failure });
}

type Shown = ProjectInputs & { shown: ShownTree };

async function buildLayer(draft: string, inputs: Shown, context: BuildContext): Promise<void> {
  let outcome: z.infer<typeof Outcome>;
  try {
    outcome = { projects: await buildInBox(draft, inputs, context) };
  } catch (error) {
    if (!AssayError.is(error) || error.code !== 'ENVIRONMENT_FAILED') throw error;
    outcome = { failure: String(error.details['detail']) };
  }
  for (const name of ['out', 'shown']) await rm(join(draft, name), { recursive: true, force: true });
  await writeFile(join(draft, 'project.json'), JSON.stringify(outcome));
}

async function buildInBox(draft: string, inputs: Shown, context: BuildContext): Promise<z.infer<typeof Project>[]> {
  const { uv, provider, cacheDirectory, signal, log } = context;
  const scripts = fileURLToPath(new URL('build/', import.meta.url));
  const options = {
    provider,
    mounts: [
      ...(await interpreterMounts(inputs.interpreter, cacheDirectory)),
      ...(await inputs.shown.mount(TREE, draft)),
      { kind: 'read-only' as const, source: uv, target: UV },
      { kind: 'read-only' as const, source: scripts, target: dirname(SCRIPT) },
    ],
    env: buildVariables(inputs.interpreter),
    lane: {
      kind: 'pypi' as const,
      cutoff: later(inputs.cutoff, FIRST_BACKENDS),
      exclude: inputs.exclude,
      cacheDirectory,
    },
    signal,
    log,
  };
  return withBuildBox(options, async (box) => {
    const projects = await makeWheels(box, inputs);
    await box.exportTo(OUT, join(draft, 'out'));
    await mkdir(join(draft, 'wheels'));
    for (const { wheel: name } of projects) {
      const wheel = await readTreeFile(join(draft, 'out'), `wheels/${name}`, MAX_WHEEL_BYTES);
      if (wheel === null)
        throw new AssayError('ENVIRONMENT_FAILED', { detail: 'describing the project: no wheel came' });
      await writeFile(join(draft, 'wheels', name), wheel);
    }
    return projects;
  });
}

/** The first setuptools that uv can ask for a wheel is of this time. Nothing but backends comes to this box. */
const FIRST_BACKENDS = new Date('2019-03-01T00:00:00Z');

const later = (a: Date, b: Date): Date => (a > b ? a : b);

/** Builds the wheels of the projects with their own backends and turns them into ones that point at the tree. */
async function makeWheels(box: BuildBox, inputs: Shown): Promise<z.infer<typeof Project>[]> {
  await box.run('copying the tree', [
    '/bin/sh',
    '-c',
    [
      'mkdir -p /tmp/build',
      `cp -rP --no-preserve=ownership ${TREE}/. ${WORKSPACE}/`,
      `rm -rf ${WORKSPACE}/.git`,
      `chmod -R u+w ${WORKSPACE}`,
    ].join(' && '),
  ]);
  const projects: z.infer<typeof Project>[] = [];
  for (const [index, each] of inputs.places.entries()) {
    const place = { ...each, out: `/tmp/build/project-${index}` };
    try {
      if (place.builds !== 'not') await buildWheel(box, place, inputs);
    } catch (error) {
      const isTried = AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED' && place.builds === 'may';
      // With less to see, it may have failed for that.
      if (!isTried || !inputs.shown.whole) throw error;
    }
    projects.push(await describe(box, place, inputs));
  }
  return projects;
}

/** A project in the box, and where its built wheel goes. */
interface Place extends ProjectPlace {
  out: string;
}

async function describe(
  box: BuildBox,
  { directory, name, out }: Place,
  { interpreter }: Shown,
): Promise<z.infer<typeof Project>> {
  const { stdout } = await box.run('describing the project', [
    pythonProgram(interpreter),
    '-I',
    SCRIPT,
    out,
    posix.join(TREE, directory),
    posix.join(WORKSPACE, directory),
    `${OUT}/wheels`,
    name,
    '0',
  ]);
  return Project.parse(JSON.parse(stdout));
}

/**
 * Optional extension modules are left out, so that the tests run on code that a submission can change. Only a project
 * that cannot be built without a compiler gets one, and with it all of its tree.
 */
async function buildWheel(
  box: BuildBox,
  { directory, out }: Place,
  { interpreter, shown, compiles = false }: Shown,
): Promise<void> {
  const python = pythonProgram(interpreter);
  const source = posix.join(WORKSPACE, directory);
  const argv = [UV, 'build', '--wheel', '--no-sources', '--python', python, '-o', out, source];
  const compile = (): Promise<unknown> => box.run('compiling the project', argv, { env: VERSION_VARIABLES });
  if (compiles) {
    await compile();
    return;
  }
  try {
    await box.run('building the project', argv, { env: { ...VERSION_VARIABLES, CC: '/bin/false', CXX: '/bin/false' } });
  } catch (error) {
    const failure = AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED' ? String(error.details['detail']) : '';
    if (!shown.whole || !WANTS_COMPILER.test(failure)) throw error;
    await compile();
  }
}

/** What build tools print that find no compiler, or one that does nothing. */
const WANTS_COMPILER = /\/bin\/false|\bcompilers?\b|\bCMAKE_\w+|\bcffi\b/i;
