import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError, canonicalJson, EnvironmentSpec } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { z } from 'zod';
import { sha256 } from '@assay/files/content-digest';
import { packDirectory } from '@assay/files/tar';
import { fetchNpmPackage } from '@assay/lanes/package-lane/tool-download';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { LANE_ORIGIN, withBuildBox, type BuildBox } from '../build-box.ts';
import { hostCompilers } from '../host-compilers.ts';
import { showWholeTree, type ShownTree } from '../shown-tree.ts';
import { findNodeHeaders } from './find-node-headers.ts';
import type { NodeInterpreter } from './find-node.ts';
import { installArguments, installVariables } from './install-arguments.ts';
import { keepModules } from './modules-layer.ts';
import type { NodeLockfile } from './node-lockfile.ts';
import { HEADERS, NODE, nodeMounts } from './node-mounts.ts';

const TREE = '/opt/tree';
const WORKSPACE = '/workspace';
const OUT = '/tmp/modules';
const SCRIPTS = '/opt/assay-build';
const MANAGER = '/opt/manager';
/** The package of each manager, and its program. */
const MANAGERS = {
  npm: ['npm', 'bin/npm-cli.js'],
  pnpm: ['pnpm', 'bin/pnpm.cjs'],
  yarn: ['yarn', 'bin/yarn.js'],
  berry: ['@yarnpkg/cli-dist', 'bin/yarn.js'],
  // A program of its own. This build of it runs on every processor.
  bun: [`@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64-baseline'}`, 'bin/bun'],
} as const;

/** Matches an error about a file of the workspace that was not installed. */
const MISSING_FILE = /(?:ENOENT|Cannot find module|no such file)[^|]*\/workspace\/(?!node_modules\/)/;

/** Everything that an installation depends on. */
export interface InstallInputs {
  interpreter: NodeInterpreter;
  manager: NodeLockfile['manager'];
  managerVersion: string;
  mode: 'lockfile' | 'frozen';
  cutoff: Date;
  exclude: string[];
  /** Name to range, from the manifests. */
  directRanges: Record<string, string>;
  /** The part of the repository that the installation sees. */
  shown: ShownTree;
  /** Whether the headers of node are there, because a script asked for them. */
  headers?: boolean;
}

export interface InstallContext {
  treeDirectory: string;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

const Collected = z.object({
  directories: z.array(z.string().regex(/^(?!\/)(?!.*\.\.)[^\0]*node_modules$/)),
  pins: z.array(z.string()),
  addons: z.array(z.string()),
});
const Installed = z.object({
  resolution: EnvironmentSpec.shape.resolution,
  pins: z.array(z.string()),
  /** What was left out, and why. */
  notes: z.array(z.string()),
  /** Whether it compiled an addon of the repository's own. */
  compiled: z.boolean(),
});
/**
 * `needsTree`: the failed step looked for a file of the repository that it was not shown; `needsHeaders`: a script
 * compiles against node.
 */
const Failure = z.object({ failure: z.string(), needsTree: z.boolean(), needsHeaders: z.boolean() });
const Outcome = z.union([Failure, Installed]);

/** Archive of every `node_modules` of the tree, with paths relative to the tree. */
export interface InstalledModules extends z.infer<typeof Installed> {
  archive: string;
}

/**
 * Installs a tree's dependencies in a sandbox and packs them. The result is cached by its inputs, and so is a failure
 * that would repeat itself. Throws `ENVIRONMENT_FAILED`, `LANE_FAILED` and `BUILD_TIMED_OUT`.
 */
export async function installNodeModules(inputs: InstallInputs, context: InstallContext): Promise<InstalledModules> {
  const { interpreter, shown, ...rest } = inputs;
  // A lockfile says the same at any time.
  const cutoff = inputs.mode === 'lockfile' ? null : inputs.cutoff.toISOString();
  const key = sha256(
    canonicalJson({
      version: 4,
      ...rest,
      shown: shown.digest,
      cutoff,
      node: interpreter.version,
      compilers: hostCompilers(),
    }),
  );
  const directory = await prepareLayer(
    context.cacheDirectory,
    `node-install-${key.slice(0, 32)}`,
    (draft) => buildLayer(draft, inputs, context),
    { signal: context.signal },
  );
  const outcome = Outcome.parse(JSON.parse(await readFile(join(directory, 'resolution.json'), 'utf8')));
  if ('failure' in outcome && outcome.needsTree)
    return installNodeModules({ ...inputs, shown: await showWholeTree(context.treeDirectory) }, context);
  if ('failure' in outcome && outcome.needsHeaders) return installNodeModules({ ...inputs, headers: true }, context);
  if ('failure' in outcome) throw new AssayError('ENVIRONMENT_FAILED', { detail: outcome.failure });
  return { ...outcome, archive: join(directory, 'node_modules.tar.gz') };
}

async function buildLayer(draft: string, inputs: InstallInputs, context: InstallContext): Promise<void> {
  let outcome: z.infer<typeof Outcome>;
  try {
    outcome = await installInBox(draft, inputs, context);
    await packDirectory(join(draft, 'tree'), join(draft, 'node_modules.tar.gz'), { signal: context.signal });
    await keepModules(join(draft, 'tree'), join(draft, 'node_modules.tar.gz'), context.cacheDirectory);
  } catch (error) {
    if (!AssayError.is(error) || !['ENVIRONMENT_FAILED', 'UNSAFE_PATH'].includes(error.code)) throw error;
    const failure = error.code === 'UNSAFE_PATH' ? error.message : String(error.details['detail']);
    outcome = {
      failure,
      needsTree: !inputs.shown.whole && looksForFiles(failure, inputs),
      needsHeaders: inputs.headers !== true && COMPILES.test(failure),
    };
  }
  for (const name of ['tree', 'shown']) await rm(join(draft, name), { recursive: true, force: true });
  await writeFile(join(draft, 'resolution.json'), JSON.stringify(outcome));
}

async function installInBox(
  draft: string,
  inputs: InstallInputs,
  context: InstallContext,
): Promise<z.infer<typeof Installed>> {
  const { provider, cacheDirectory, signal, log } = context;
  const manager = await fetchNpmPackage(
    MANAGERS[inputs.manager][0],
    inputs.managerVersion,
    join(cacheDirectory, 'tools'),
    { cacheDirectory, signal },
  );
  const headers = inputs.headers === true ? await findNodeHeaders(inputs.interpreter, cacheDirectory, signal) : null;
  const options = {
    provider,
    mounts: [
      ...nodeMounts(inputs.interpreter),
      ...(headers === null ? [] : [{ kind: 'read-only' as const, source: headers, target: `${HEADERS}/include/node` }]),
      ...(await inputs.shown.mount(TREE, draft)),
      { kind: 'read-only' as const, source: manager, target: MANAGER },
      { kind: 'read-only' as const, source: fileURLToPath(new URL('build/', import.meta.url)), target: SCRIPTS },
    ],
    env: installVariables(headers === null ? null : HEADERS),
    lane: {
      kind: 'npm' as const,
      cutoff: inputs.cutoff,
      exclude: inputs.exclude,
      directRanges: inputs.directRanges,
      cacheDirectory,
      mode: inputs.mode,
    },
    signal,
    log,
  };
  return withBuildBox(options, async (box) => {
    await box.run('copying the tree', [
      '/bin/sh',
      '-c',
      `cp -rP --no-preserve=ownership ${TREE}/. ${WORKSPACE}/ && rm -rf ${WORKSPACE}/.git && chmod -R u+w ${WORKSPACE}`,
    ]);
    await box.run('preparing the manifests', [NODE, `${SCRIPTS}/prepare-tree.mjs`, WORKSPACE, LANE_ORIGIN]);
    const notes = await installWithFallbacks(box, inputs);
    const { stdout } = await box.run('collecting modules', [NODE, `${SCRIPTS}/collect-modules.mjs`, WORKSPACE, OUT]);
    const { pins, addons } = Collected.parse(JSON.parse(stdout));
    await box.exportTo(OUT, join(draft, 'tree'));
    const resolution = pins.length === 0 ? 'none' : (box.lane?.resolution() ?? 'lockfile');
    return { resolution, pins, notes, compiled: addons.length > 0 };
  });
}

/** Runs the install command, and after a failure again with a remedy for it. Returns the remedies used, and why. */
async function installWithFallbacks(box: BuildBox, inputs: InstallInputs): Promise<string[]> {
  const program = `${MANAGER}/${MANAGERS[inputs.manager][1]}`;
  const command = [...(inputs.manager === 'bun' ? [] : [NODE]), program, ...installArguments(inputs)];
  const added: string[] = [];
  const notes: string[] = [];
  for (;;) {
    try {
      await box.run(['installing', ...added].join(', '), [
        ...command,
        ...added.filter((each) => each.startsWith('--')),
      ]);
      return notes;
    } catch (error) {
      const isBuilds = AssayError.is(error) && ['ENVIRONMENT_FAILED', 'TOOL_MISSING'].includes(error.code);
      const remedy = isBuilds ? remedyFor(error.message, inputs) : null;
      if (remedy === null || added.includes(remedy) || (remedy === OWN_COPY && !inputs.shown.whole)) throw error;
      added.push(remedy);
      notes.push(noteOf(remedy, error));
      if (remedy === OWN_COPY) await packOwnCopy(box);
      if (remedy === NO_TOOLS) await box.run('leaving out tools', [NODE, `${SCRIPTS}/leave-tools.mjs`, WORKSPACE]);
      await box.run('cleaning up', ['/bin/sh', '-c', `find ${WORKSPACE} -name node_modules -prune -exec rm -rf {} +`]);
    }
  }
}

const WHY_CHARACTERS = 200;

/** Says of scripts that were left out what one of them failed of: suites that need its output fail of that. */
const noteOf = (remedy: string, error: unknown): string =>
  SCRIPTS_OUT.includes(remedy) && AssayError.is(error)
    ? `${remedy}, because ${error.message.slice(0, WHY_CHARACTERS)}`
    : remedy;

const SCRIPTS_OUT = ['--mode=skip-build', '--ignore-scripts'];

/** What prints that compiles for node. */
const COMPILES = /\bgyp ERR|\bnode-gyp\b|\bcmake-js\b/;

/** Whether a failure is about repository files that were not shown. */
function looksForFiles(detail: string, inputs: InstallInputs): boolean {
  return MISSING_FILE.test(detail) || remedyFor(detail, inputs) === OWN_COPY;
}

/** The packed project at T0. Packages that depend on the project get this, since the lane shows no release of it. */
const OWN_COPY = 'the project itself';

/** Development tools that no test loads are left out: some of their dependencies lie in repositories, not the index. */
const NO_TOOLS = 'without linters and the like';
const GIT_FAILED = /ls-remote|An unknown git error/;

function remedyFor(detail: string, { manager, mode, exclude, shown, headers = false }: InstallInputs): string | null {
  if (!shown.whole && MISSING_FILE.test(detail)) return null;
  if (manager === 'npm' && /\bERESOLVE\b/.test(detail)) return '--legacy-peer-deps';
  if (manager === 'npm' && mode === 'frozen' && GIT_FAILED.test(detail)) return NO_TOOLS;
  if (/\bE404\b|is not in this registry/.test(detail)) {
    const asksForTarget = exclude.some(
      (name) => detail.includes(`/${name.replace('/', '%2f')}`) || detail.includes(`'${name}@`),
    );
    return manager === 'npm' && mode === 'frozen' && asksForTarget ? OWN_COPY : null;
  }
  return /\bETARGET\b|ERR_PNPM_(NO_MATCHING|OUTDATED|LOCKFILE)|Your lockfile needs to be updated|\bEUSAGE\b/.test(
    detail,
  )
    ? null
    : !headers && COMPILES.test(detail) && hostCompilers().includes('g++')
      ? null
      : manager === 'berry'
        ? '--mode=skip-build'
        : '--ignore-scripts';
}

async function packOwnCopy(box: BuildBox): Promise<void> {
  await box.run(
    'packing the project',
    [NODE, `${MANAGER}/${MANAGERS.npm[1]}`, 'pack', '--ignore-scripts', '--pack-destination=/tmp', '--loglevel=error'],
    { cwd: WORKSPACE },
  );
  await box.run('pointing at the project', [NODE, `${SCRIPTS}/override-self.mjs`, WORKSPACE, '/tmp']);
}
