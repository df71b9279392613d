import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, canonicalJson } from '@assay/protocol';
import { z } from 'zod';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { withBuildBox, type BuildBox } from '../build-box.ts';
import { listTree, readTreeFile } from '../tree-files.ts';
import type { BuildContext, BuiltProject } from './build-project.ts';
import { buildVariables, UV } from './build-variables.ts';
import type { PythonInterpreter } from './find-interpreters.ts';
import { normalizeName } from './declared-names.ts';
import { interpreterMounts, isWheelName, pythonProgram } from './python-mounts.ts';

const OUT = '/tmp/build/out';
/** Directory of the projects' own wheels in the box. */
const PROJECT = '/opt/project';
const MAX_WHEEL_BYTES = 1024 ** 3;

/** Everything that a resolution depends on. */
export interface ResolveInputs {
  interpreter: PythonInterpreter;
  cutoff: Date;
  exclude: string[];
  requirements: string[];
  constraints: string[];
  /** Extras by the normalised name of the project that may offer them. */
  extras: Record<string, string[]>;
}

/**
 * A directory with `wheels/` (every distribution; the project's own points at the tree), `requirements.lock` and
 * `resolution.json`.
 */
export interface Wheelhouse {
  directory: string;
  /** `name==version` of every distribution but the project. */
  pins: string[];
}

const Outcome = z.union([z.object({ failure: z.string() }), z.object({ pins: z.array(z.string()) })]);

/**
 * Resolves the requirements of projects and their tests as of the cutoff, and fetches every distribution as a wheel. None
 * of the repository's code is in the box: of the projects there are only their built wheels, which are read and never
 * run. The result is cached by its inputs, and so is a failure that would repeat itself. Throws `ENVIRONMENT_FAILED`,
 * `LANE_FAILED` and `BUILD_TIMED_OUT`.
 */
export async function resolvePython(
  inputs: ResolveInputs,
  projects: BuiltProject[],
  context: BuildContext,
): Promise<Wheelhouse> {
  const { interpreter, ...rest } = inputs;
  const fixed = { cutoff: inputs.cutoff.toISOString(), interpreter: interpreter.version };
  const described = await Promise.all(
    projects.map(async ({ file, ...project }) => ({ ...project, sha256: sha256(await readFile(file)) })),
  );
  const key = sha256(canonicalJson({ version: 4, ...rest, ...fixed, projects: described }));
  const directory = await prepareLayer(
    context.cacheDirectory,
    `python-wheels-${key.slice(0, 32)}`,
    (draft) => buildWheelhouse(draft, { inputs, projects, context }),
    { signal: context.signal },
  );
  const outcome = Outcome.parse(JSON.parse(await readFile(join(directory, 'resolution.json'), 'utf8')));
  if ('failure' in outcome) throw new AssayError('ENVIRONMENT_FAILED', { detail: outcome.failure });
  return { directory, ...outcome };
}

interface Resolution {
  inputs: ResolveInputs;
  projects: BuiltProject[];
  context: BuildContext;
}

async function buildWheelhouse(draft: string, resolution: Resolution): Promise<void> {
  let outcome: z.infer<typeof Outcome>;
  try {
    outcome = { pins: await resolveInBox(draft, resolution) };
  } catch (error) {
    if (!AssayError.is(error) || error.code !== 'ENVIRONMENT_FAILED') throw error;
    await rm(join(draft, 'wheels'), { recursive: true, force: true });
    outcome = { failure: String(error.details['detail']) };
  }
  await writeFile(join(draft, 'resolution.json'), JSON.stringify(outcome));
}

async function resolveInBox(draft: string, { inputs, projects, context }: Resolution): Promise<string[]> {
  const { uv, provider, cacheDirectory, signal, log } = context;
  const options = {
    provider,
    mounts: [
      ...(await interpreterMounts(inputs.interpreter, cacheDirectory)),
      { kind: 'read-only' as const, source: uv, target: UV },
      ...projects.map(({ file, wheel }) => ({
        kind: 'read-only' as const,
        source: file,
        target: `${PROJECT}/${wheel}`,
      })),
    ],
    env: buildVariables(inputs.interpreter),
    lane: { kind: 'pypi' as const, cutoff: inputs.cutoff, exclude: inputs.exclude, cacheDirectory },
    signal,
    log,
  };
  return withBuildBox(options, async (box) => {
    await box.run('making room', ['/bin/mkdir', '-p', `${OUT}/wheels`]);
    const pins = await compilePins(box, inputs, projects);
    await fetchWheels(box, inputs);
    await box.exportTo(OUT, join(draft, 'out'));
    await takeOver(join(draft, 'out'), { draft, pins, projects });
    return pins;
  });
}

/** Writes `out/requirements.lock` with hashes, and returns the pins. */
async function compilePins(box: BuildBox, inputs: ResolveInputs, projects: BuiltProject[]): Promise<string[]> {
  const own = projects.map((project) => {
    const offered = new Set(project.extras.map(normalizeName));
    const extras = (inputs.extras[normalizeName(project.name)] ?? []).filter((extra) => offered.has(extra));
    const suffix = extras.length > 0 ? `[${extras.join(',')}]` : '';
    return `${project.name}${suffix} @ file://${PROJECT}/${project.wheel}`;
  });
  await box.sandbox.writeFile('/tmp/build/requirements.in', [...own, ...inputs.requirements, ''].join('\n'));
  // Packages that depend on one of the projects get this version of it, whatever they ask for.
  await box.sandbox.writeFile('/tmp/build/overrides.in', `${own.join('\n')}\n`);
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

/** Fetches wheels with pip, because uv cannot save them as files. pip's version is T0's, so it fits the interpreter. */
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
 * Moves the wheels into the layer and locks each by the hash of its file. Files from the box are chosen by name; their
 * contents are never interpreted.
 */
async function takeOver(
  from: string,
  { draft, pins, projects }: { draft: string; pins: string[]; projects: BuiltProject[] },
): Promise<void> {
  const wheels = (await listTree(from, 'wheels')).map(({ name }) => name).filter(isWheelName);
  await mkdir(join(draft, 'wheels'));
  const lines: string[] = [];
  const keep = async (pin: string, wheel: string, content: Uint8Array): Promise<void> => {
    await writeFile(join(draft, 'wheels', wheel), content);
    lines.push(`${pin} --hash=sha256:${sha256(content)}`);
  };
  for (const { name, version, wheel, file } of projects) await keep(`${name}==${version}`, wheel, await readFile(file));
  for (const pin of pins) {
    const wheel = wheels.find((name) => isWheelOf(name, pin));
    if (wheel === undefined)
      throw new AssayError('ENVIRONMENT_FAILED', { detail: `fetching wheels: none came for ${pin}` });
    const content = await readTreeFile(from, `wheels/${wheel}`, MAX_WHEEL_BYTES);
    if (content === null)
      throw new AssayError('ENVIRONMENT_FAILED', { detail: `fetching wheels: ${wheel} is no file, or too large` });
    await keep(pin, wheel, content);
  }
  await writeFile(join(draft, 'requirements.lock'), `${lines.sort().join('\n')}\n`);
  await rm(from, { recursive: true, force: true });
}

function isWheelOf(wheel: string, pin: string): boolean {
  const [name = '', version = ''] = wheel.split('-');
  const [pinnedName = '', pinnedVersion = ''] = pin.split('==');
  return normalizeName(name) === normalizeName(pinnedName) && plainVersion(version) === plainVersion(pinnedVersion);
}

/** Makes spellings of one version equal: they differ in trailing zeros and in `-`, `_` and `.` before a local part. */
const plainVersion = (version: string): string =>
  version
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_]/g, '.')
    .replace(/(\.0)+(?=$|\+)/, '');
