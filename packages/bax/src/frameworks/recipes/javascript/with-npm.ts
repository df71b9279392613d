import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LANE_ORIGIN, withBuildBox, type BuildBox } from '@assay/engine/ecosystems/build-box';
import { findNode, type NodeInterpreter } from '@assay/engine/ecosystems/node/find-node';
import { NPM_VERSION } from '@assay/engine/ecosystems/node/node-lockfile';
import { NODE, nodeMounts } from '@assay/engine/ecosystems/node/node-mounts';
import { fetchNpmPackage } from '@assay/lanes/package-lane/tool-download';
import type { Mount } from '@assay/sandbox';
import type { PrepareOptions } from '../../../framework.ts';

const NODE_VERSION = '22.12.0';
const NODE_ROOT = dirname(dirname(NODE));
const NPM = '/opt/manager';
const PROJECT = '/opt/project';
export const MODULES = '/app/node_modules';

export interface NodeTools {
  interpreter: NodeInterpreter;
  /** A directory of Node's C headers. */
  headers: string;
}

/**
 * Upstream's Node where it can be had, else the one that runs this. Headers of any release serve, as what is compiled
 * uses Node-API alone.
 */
export async function findNodeTools({ cacheDirectory, signal }: PrepareOptions): Promise<NodeTools> {
  const interpreter = await findNode(NODE_VERSION, cacheDirectory, signal).catch(() => {
    signal?.throwIfAborted();
    return { version: process.versions.node, executable: process.execPath };
  });
  for (const program of [interpreter.executable, process.execPath]) {
    const headers = join(dirname(dirname(program)), 'include', 'node');
    if (
      await access(join(headers, 'node_api.h')).then(
        () => true,
        () => false,
      )
    )
      return { interpreter, headers };
  }
  const fetched = await fetchNpmPackage(`node-linux-${process.arch}`, NODE_VERSION, join(cacheDirectory, 'tools'), {
    cacheDirectory,
    signal,
  });
  return { interpreter, headers: join(fetched, 'include', 'node') };
}

export type Npm = (step: string, argv: string[], env?: Record<string, string>) => Promise<unknown>;

/** A box with npm, whose /app holds the `package.json` and lock of a folder. */
export async function withNpm(
  { interpreter, headers }: NodeTools,
  options: PrepareOptions & { folder: string; mounts?: Mount[] },
  use: (box: BuildBox, npm: Npm) => Promise<void>,
): Promise<void> {
  const { provider, cacheDirectory, folder, signal, progress } = options;
  const common = signal ? { signal } : {};
  const manager = await fetchNpmPackage('npm', NPM_VERSION, join(cacheDirectory, 'tools'), {
    cacheDirectory,
    ...common,
  });
  const boxOptions = {
    provider,
    mounts: [
      ...nodeMounts(interpreter),
      { kind: 'read-only' as const, source: headers, target: `${NODE_ROOT}/include/node` },
      { kind: 'read-only' as const, source: manager, target: NPM },
      { kind: 'read-only' as const, source: folder, target: PROJECT },
      { kind: 'layers' as const, sources: [], target: '/app' },
      ...(options.mounts ?? []),
    ],
    env: {
      PATH: `${dirname(NODE)}:/usr/bin:/bin`,
      JOBS: '2',
      npm_config_registry: `${LANE_ORIGIN}/`,
      npm_config_cache: '/tmp/npm-cache',
      npm_config_update_notifier: 'false',
      npm_config_loglevel: 'error',
      npm_config_nodedir: NODE_ROOT,
    },
    // A busy machine compiles SQLite for long.
    minutes: 30,
    lane: {
      kind: 'npm' as const,
      cutoff: new Date(),
      exclude: [],
      directRanges: {},
      mode: 'lockfile' as const,
      cacheDirectory,
    },
    ...common,
    log: progress,
  };
  await withBuildBox(boxOptions, async (box) => {
    await box.run('placing the manifests', [
      '/bin/sh',
      '-c',
      `cp ${PROJECT}/package*.json ${PROJECT}/*/package*.json /app/ 2>/dev/null; test -f /app/package-lock.json`,
    ]);
    await use(box, (step, argv, env = {}) =>
      box.run(step, [NODE, `${NPM}/bin/npm-cli.js`, ...argv, '--no-audit', '--no-fund'], { cwd: '/app', env }),
    );
  });
}
