import { AssayError } from '@assay/protocol';
import type { ExecResult, Mount, Sandbox, SandboxProvider } from '@assay/sandbox';
import { openPackageLane, type PackageLane, type PackageLaneOptions } from '@assay/lanes/package-lane/package-lane';
import { describeMissing, missingTool } from './missing-tool.ts';
import { tellingText } from './telling-text.ts';

const GIB = 1024 ** 3;
/** Default limit of all steps in one box. */
export const BUILD_MINUTES = 10;
/** Port at which every build finds its index, whatever the index is. */
export const LANE_PORT = 7001;
export const LANE_ORIGIN = `http://127.0.0.1:${LANE_PORT}`;
const DETAIL_CHARACTERS = 600;

export interface BuildBoxOptions {
  provider: SandboxProvider;
  mounts: Mount[];
  env: Record<string, string>;
  /** Root file system in place of this machine's, as for any sandbox. */
  root?: string;
  /** The only way out of the box; without it there is none. */
  lane?: Omit<PackageLaneOptions, 'origin'>;
  /** Limit in minutes for all steps together. Default 10. */
  minutes?: number;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

/** A sandbox that builds an environment: foreign code runs here, and the package lane is its only way out. */
export interface BuildBox {
  sandbox: Sandbox;
  lane: PackageLane | null;
  /**
   * Runs a step. Throws `ENVIRONMENT_FAILED` when it fails, `TOOL_MISSING` when it lacks a compiler or the like,
   * `LANE_FAILED` when the index was at fault, and `BUILD_TIMED_OUT` when all steps together took too long.
   */
  run(
    step: string,
    argv: string[],
    options?: { env?: Record<string, string>; cwd?: string; stdin?: string },
  ): Promise<ExecResult>;
  /** Copies a directory of the sandbox to a new one on the host. */
  exportTo(path: string, hostDirectory: string): Promise<void>;
}

/** Opens a box, passes it to `use`, and then removes every trace of it. */
export async function withBuildBox<T>(options: BuildBoxOptions, use: (box: BuildBox) => Promise<T>): Promise<T> {
  const lane = options.lane ? await openPackageLane({ ...options.lane, origin: LANE_ORIGIN }) : null;
  try {
    const sandbox = await options.provider.create({
      mounts: options.mounts,
      env: options.env,
      timeout: minutesOf(options) * 60_000,
      network: lane ? { kind: 'lanes', lanes: [{ port: LANE_PORT, socket: lane.socket }] } : { kind: 'none' },
      limits: { memoryBytes: 4 * GIB, diskBytes: 4 * GIB, pids: 1024 },
      root: options.root,
      signal: options.signal,
    });
    try {
      return await use(makeBox(sandbox, lane, options));
    } finally {
      await sandbox.destroy();
    }
  } finally {
    await lane?.close();
  }
}

const minutesOf = ({ minutes = BUILD_MINUTES }: BuildBoxOptions): number => minutes;

function makeBox(sandbox: Sandbox, lane: PackageLane | null, options: BuildBoxOptions): BuildBox {
  const { signal, log } = options;
  const deadline = Date.now() + minutesOf(options) * 60_000;
  const run: BuildBox['run'] = async (step, argv, { env, cwd, stdin } = {}) => {
    log?.(step);
    const timeout = Math.max(1_000, deadline - Date.now());
    const result = await sandbox.exec('', { argv, timeout, env, cwd, stdin, signal });
    log?.(`${step}: exit ${result.exitCode} after ${Math.round(result.durationMs ?? 0)} ms`);
    if (result.exitCode === 0) return result;
    signal?.throwIfAborted();
    const upstream = lane?.records.findLast((record) => record.status === 502 || record.status === 504);
    if (lane && upstream)
      throw new AssayError('LANE_FAILED', {
        lane: 'package',
        detail: `${upstream.path}: ${upstream.note ?? upstream.status}`,
      });
    if (lane && new RegExp(`127\\.0\\.0\\.1:${LANE_PORT}[^]*Connection refused`).test(result.stderr))
      throw new AssayError('LANE_FAILED', { lane: 'package', detail: 'the sandbox did not reach it' });
    if (result.timedOut) throw new AssayError('BUILD_TIMED_OUT', { step, minutes: minutesOf(options) });
    const detail = `${step}: ${failureOf(result)}`;
    const missing = missingTool(outputOf(result));
    if (missing?.debianPackage !== undefined)
      throw new AssayError('TOOL_MISSING', { missing: describeMissing(missing), detail });
    throw new AssayError('ENVIRONMENT_FAILED', {
      detail: missing ? `${describeMissing(missing)} (${detail})` : detail,
    });
  };
  const exportTo: BuildBox['exportTo'] = async (path, hostDirectory) => {
    if (!sandbox.exportDirectory)
      throw new AssayError('PROVIDER_UNAVAILABLE', {
        name: 'this provider',
        detail: 'it cannot hand out directories',
        hint: 'Use bubblewrap, runc or runsc to build environments.',
      });
    await sandbox.exportDirectory(path, hostDirectory);
  };
  return { sandbox, lane, run, exportTo };
}

/** What programs print that look for another host than the lane. */
const WANTS_NETWORK =
  /\bENOTFOUND\b|\bEAI_AGAIN\b|\bENETUNREACH\b|getaddrinfo|Could not resolve host|name resolution|Name or service not known|Network is unreachable|NameResolutionError/i;

const outputOf = ({ stdout, stderr }: ExecResult): string => `${stdout}\n${stderr}`;

function failureOf(result: ExecResult): string {
  if (result.outOfMemory) return 'it needs more than 4 GiB of memory';
  const output = outputOf(result);
  const why = WANTS_NETWORK.test(output) ? 'it wants a network beyond the package index: ' : '';
  return `${why}exit ${result.exitCode}: ${tellingText(output, DETAIL_CHARACTERS)}`;
}
