import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError, canonicalJson } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { z } from 'zod';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { LANE_ORIGIN, withBuildBox, type BuildBox } from '../build-box.ts';
import { listTree, readTreeFile } from '../tree-files.ts';
import type { PythonInterpreter } from './find-interpreters.ts';
import { normalizeName } from './project-names.ts';
import { interpreterMounts, isWheelName, pythonProgram } from './python-mounts.ts';

const TREE = '/opt/tree';
const WORKSPACE = '/workspace';
const OUT = '/tmp/build/out';
const UV = '/opt/uv/uv';
const SCRIPT = '/opt/assay-build/make_editable_wheel.py';
/**
 * For projects that take their version from git tags, of which a rebuilt repository has none: high enough for any `>=`.
 */
const NEUTRAL_VERSION = '9999.0';
const MAX_WHEEL_BYTES = 1024 ** 3;

/** Everything on which a resolution depends. */
export interface ResolveInputs {
  interpreter: PythonInterpreter;
  cutoff: Date;
  exclude: string[];
  requirements: string[];
  constraints: string[];
  extras: string[];
  /** See `projectBuildInputs`. */
  projectInputs: string;
  /** Whether the tree has something that a build backend understands. */
  buildable: boolean;
}

export interface ResolveContext {
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
type Project = z.infer<typeof Project>;

/**
 * A directory with `wheels/` (every distribution, the project's own as one that points at the tree),
 * `requirements.lock` and `resolution.json`.
 */
export interface Wheelhouse {
  directory: string;
  /** `name==version` of everything but the project. */
  pins: string[];
  project: Project;
}

const Outcome = z.union([z.object({ failure: z.string() }), z.object({ pins: z.array(z.string()), project: Project })]);

/**
 * Builds the project's metadata, resolves what it and its tests need as of the cutoff, and fetches every distribution
 * as a wheel. The answer is kept by its inputs, and so is a failure that would come again. Throws `ENVIRONMENT_FAILED`,
 * `LANE_FAILED`.
 */
export async function resolvePython(inputs: ResolveInputs, context: ResolveContext): Promise<Wheelhouse> {
  const { interpreter, ...rest } = inputs;
  const key = createHash('sha256')
    .update(
      canonicalJson({ version: 2, ...rest, cutoff: inputs.cutoff.toISOString(), interpreter: interpreter.version }),
    )
    .digest('hex');
  const directory = await prepareLayer(context.cacheDirectory, `python-wheels-${key.slice(0, 32)}`, (draft) =>
    buildWheelhouse(draft, inputs, context),
  );
  const outcome = Outcome.parse(JSON.parse(await readFile(join(directory, 'resolution.json'), 'utf8')));
  if ('failure' in outcome) throw new AssayError('ENVIRONMENT_FAILED', { detail: outcome.failure });
  return { directory, ...outcome };
}

async function buildWheelhouse(draft: string, inputs: ResolveInputs, context: ResolveContext): Promise<void> {
  let outcome: z.infer<typeof Outcome>;
  try {
    outcome = await resolveInBox(draft, inputs, context);
  } catch (error) {
    if (!AssayError.is(error) || error.code !== 'ENVIRONMENT_FAILED') throw error;
    await rm(join(draft, 'wheels'), { recursive: true, force: true });
    outcome = { failure: String(error.details['detail']) };
  }
  await writeFile(join(draft, 'resolution.json'), JSON.stringify(outcome));
}

async function resolveInBox(
  draft: string,
  inputs: ResolveInputs,
  context: ResolveContext,
): Promise<{ pins: string[]; project: Project }> {
  const { treeDirectory, uv, provider, cacheDirectory, signal, log } = context;
  const options = {
    provider,
    mounts: [
      ...(await interpreterMounts(inputs.interpreter, cacheDirectory)),
      { kind: 'read-only' as const, source: treeDirectory, target: TREE },
      { kind: 'read-only' as const, source: uv, target: UV },
      {
        kind: 'read-only' as const,
        source: fileURLToPath(new URL('build/', import.meta.url)),
        target: dirname(SCRIPT),
      },
    ],
    env: buildVariables(inputs.interpreter),
    lane: { kind: 'pypi' as const, cutoff: inputs.cutoff, exclude: inputs.exclude, cacheDirectory },
    signal,
    log,
  };
  return withBuildBox(options, async (box) => {
    const project = await buildProject(box, inputs);
    const pins = await compilePins(box, inputs, project);
    await fetchWheels(box, inputs);
    await box.exportTo(OUT, join(draft, 'out'));
    await takeOver(join(draft, 'out'), draft, pins, project);
    return { pins, project };
  });
}

/** The project's metadata: its wheel, built by its own backend, made into one that points at the tree. */
async function buildProject(box: BuildBox, { interpreter, buildable, exclude }: ResolveInputs): Promise<Project> {
  await box.run('copying the tree', [
    '/bin/sh',
    '-c',
    `mkdir -p /tmp/build && cp -rP --no-preserve=ownership ${TREE}/. ${WORKSPACE}/ && rm -rf ${WORKSPACE}/.git && chmod -R u+w ${WORKSPACE}`,
  ]);
  if (buildable) {
    await box.run(
      'building the project',
      [
        UV,
        'build',
        '--wheel',
        '--no-sources',
        '--python',
        pythonProgram(interpreter),
        '-o',
        '/tmp/build/project',
        WORKSPACE,
      ],
      {
        env: {
          SETUPTOOLS_SCM_PRETEND_VERSION: NEUTRAL_VERSION,
          PDM_BUILD_SCM_VERSION: NEUTRAL_VERSION,
          PBR_VERSION: NEUTRAL_VERSION,
          POETRY_DYNAMIC_VERSIONING_BYPASS: NEUTRAL_VERSION,
          UV_DYNAMIC_VERSIONING_BYPASS: NEUTRAL_VERSION,
          // Optional extension modules are left out, so that the tests run on what a submission can change.
          CC: '/bin/false',
          CXX: '/bin/false',
        },
      },
    );
  }
  const { stdout } = await box.run('describing the project', [
    pythonProgram(interpreter),
    SCRIPT,
    '/tmp/build/project',
    TREE,
    WORKSPACE,
    `${OUT}/wheels`,
    exclude[0] ?? 'workspace',
    '0',
  ]);
  const project = Project.parse(JSON.parse(stdout));
  if (project.compiled.length > 0)
    throw new AssayError('ENVIRONMENT_FAILED', {
      detail: `the project compiles extension modules (${project.compiled[0]}), which Assay does not build yet`,
    });
  return project;
}

/** Writes `out/requirements.lock`, hashes included, and answers with the pins. */
async function compilePins(box: BuildBox, inputs: ResolveInputs, project: Project): Promise<string[]> {
  const offered = new Set(project.extras.map(normalizeName));
  const extras = inputs.extras.filter((extra) => offered.has(normalizeName(extra)));
  const self = `${project.name}${extras.length > 0 ? `[${extras.join(',')}]` : ''} @ file://${OUT}/wheels/${project.wheel}`;
  await box.sandbox.writeFile('/tmp/build/requirements.in', [self, ...inputs.requirements, ''].join('\n'));
  // What depends on the project takes this version of it, whatever it asked for.
  await box.sandbox.writeFile('/tmp/build/overrides.in', `${self}\n`);
  await box.sandbox.writeFile('/tmp/build/constraints.in', inputs.constraints.join('\n'));
  await box.run('resolving dependencies', [
    UV,
    'pip',
    'compile',
    '/tmp/build/requirements.in',
    '--overrides',
    '/tmp/build/overrides.in',
    '--constraints',
    '/tmp/build/constraints.in',
    '--python',
    pythonProgram(inputs.interpreter),
    '--generate-hashes',
    '--no-annotate',
    '--no-header',
    '-q',
    '-o',
    '/tmp/build/resolved.lock',
  ]);
  const blocks = (await box.sandbox.readFile('/tmp/build/resolved.lock'))
    .split(/\n(?=\S)/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
  const foreign = blocks.filter((block) => !block.includes('file://'));
  const pins = foreign.map((block) => /^([A-Za-z0-9][\w.-]*)==([\w.+!-]+)/.exec(block)?.[0] ?? '');
  if (pins.includes(''))
    throw new AssayError('ENVIRONMENT_FAILED', { detail: 'resolving dependencies: a dependency comes from no index' });
  await box.sandbox.writeFile('/tmp/build/fetch.lock', foreign.join('\n'));
  return pins.sort();
}

/** pip, because uv cannot hand out wheels as files. Its version is T0's, so it fits the interpreter. */
async function fetchWheels(box: BuildBox, { interpreter }: ResolveInputs): Promise<void> {
  await box.run('fetching pip', [
    UV,
    'pip',
    'install',
    '-q',
    '--python',
    pythonProgram(interpreter),
    '--target',
    '/tmp/build/pip',
    'pip',
  ]);
  await box.run(
    'fetching wheels',
    [
      pythonProgram(interpreter),
      '-m',
      'pip',
      'wheel',
      '-q',
      '--no-deps',
      '--no-cache-dir',
      '--use-pep517',
      '--require-hashes',
      '-r',
      '/tmp/build/fetch.lock',
      '-w',
      `${OUT}/wheels`,
    ],
    { env: { PYTHONPATH: '/tmp/build/pip' } },
  );
}

/**
 * Moves the wheels into the layer and locks each by the hash of its file. What came out of the box is only looked at by
 * name.
 */
async function takeOver(from: string, draft: string, pins: string[], project: Project): Promise<void> {
  const wheels = (await listTree(from, 'wheels')).map(({ name }) => name).filter(isWheelName);
  await mkdir(join(draft, 'wheels'));
  const lines: string[] = [];
  for (const pin of [...pins, `${project.name}==${project.version}`]) {
    const wheel = wheels.find((name) => isWheelOf(name, pin));
    if (wheel === undefined)
      throw new AssayError('ENVIRONMENT_FAILED', { detail: `fetching wheels: none came for ${pin}` });
    const content = await readTreeFile(from, `wheels/${wheel}`, MAX_WHEEL_BYTES);
    if (content === null)
      throw new AssayError('ENVIRONMENT_FAILED', { detail: `fetching wheels: ${wheel} is no file, or too large` });
    await writeFile(join(draft, 'wheels', wheel), content);
    lines.push(`${pin} --hash=sha256:${createHash('sha256').update(content).digest('hex')}`);
  }
  await writeFile(join(draft, 'requirements.lock'), `${lines.sort().join('\n')}\n`);
  await rm(from, { recursive: true, force: true });
}

function isWheelOf(wheel: string, pin: string): boolean {
  const [name = '', version = ''] = wheel.split('-');
  const [pinnedName = '', pinnedVersion = ''] = pin.split('==');
  return normalizeName(name) === normalizeName(pinnedName) && plainVersion(version) === plainVersion(pinnedVersion);
}

/** Spellings of one version differ by trailing zeros and by `-`, `_` and `.` before a local part. */
const plainVersion = (version: string): string =>
  version
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_]/g, '.')
    .replace(/(\.0)+(?=$|\+)/, '');

function buildVariables({ minor }: PythonInterpreter): Record<string, string> {
  return {
    PATH: `${dirname(pythonProgram({ minor }))}:/usr/bin:/bin`,
    UV_DEFAULT_INDEX: `${LANE_ORIGIN}/simple/`,
    UV_NO_CONFIG: '1',
    UV_PYTHON_DOWNLOADS: 'never',
    UV_CACHE_DIR: '/tmp/uv-cache',
    UV_LINK_MODE: 'copy',
    UV_NO_PROGRESS: '1',
    PIP_INDEX_URL: `${LANE_ORIGIN}/simple/`,
    PIP_CONFIG_FILE: '/dev/null',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    PIP_NO_INPUT: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    SOURCE_DATE_EPOCH: '315532800',
  };
}
