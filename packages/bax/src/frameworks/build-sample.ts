import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import { TreeWriter } from '@assay/files/tree-writer';
import {
  runCommand,
  sandboxOwner,
  type ExecResult,
  type Mount,
  type Sandbox,
  type SandboxProvider,
} from '@assay/sandbox';
import type { BuildStep, Framework, PreparedFramework } from '../framework.ts';
import type { AppImage } from '../grade/app-image.ts';
import { changesFrom, copyChanges } from './recipes/changed-files.ts';

const MIB = 1024 * 1024;
const LIMITS = { memoryBytes: 2048 * MIB, pids: 1024, diskBytes: 2048 * MIB, outputBytes: MIB };
const MAX_FILES = 10_000;
const MAX_BYTES = 64 * MIB;
/** Time limit for copying the results of the build, inside the sandbox. */
const COPY_MS = 60_000;
/** How much of the end of one step's output is kept. */
const STEP_LOG_CHARACTERS = 4000;
const APP = '/app';

export interface BuildSampleOptions {
  framework: Framework;
  prepared: PreparedFramework;
  /** The answer's, by path. */
  files: Readonly<Record<string, string | Uint8Array>>;
  provider: SandboxProvider;
  signal?: AbortSignal;
}

export interface BuiltSample {
  /** Null: the answer cannot be built, or cannot be written at all. */
  image: AppImage | null;
  /** `log` is foreign text. */
  build: { ok: boolean; log: string };
  /** Removes its files; nothing may run on them. May be called twice. */
  dispose(): Promise<void>;
}

/**
 * An answer's files over the layers of its framework, and what the build steps make of them, each kept in a directory
 * of its own until `dispose`. The steps run in a sandbox without a network. Whatever the answer or its build does is in
 * `build`; what is thrown is no fault of it.
 */
export async function buildSample({
  framework,
  prepared,
  files,
  provider,
  signal,
}: BuildSampleOptions): Promise<BuiltSample> {
  const directory = await makeTemporaryDirectory('bax-sample');
  // Trees may be deeper than a path may be long.
  const dispose = async (): Promise<void> => void (await runCommand(['rm', '-rf', '--', directory]));
  const startCommand = prepared.startCommand ?? framework.startCommand;
  const image = (layers: readonly string[]): AppImage => ({
    mounts: mountsOf(prepared, layers),
    env: prepared.env,
    startCommand,
    root: prepared.root,
    preload: prepared.preload,
  });
  try {
    const refused = await writeAnswer(join(directory, 'answer'), { framework, prepared, files });
    if (refused !== null) return { image: null, build: { ok: false, log: refused }, dispose };
    const layers = [join(directory, 'answer')];
    if (prepared.build.length === 0) return { image: image(layers), build: { ok: true, log: '' }, dispose };
    const built = join(directory, 'built');
    const build = await runBuild(built, { prepared, layers, provider, signal });
    return { image: build.ok ? image([built, ...layers]) : null, build, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function mountsOf({ mounts, appLayers }: PreparedFramework, layers: readonly string[]): Mount[] {
  return [...mounts, { kind: 'layers', sources: [...layers, ...appLayers], target: APP }];
}

/** Why the files cannot be written, or null when they are. */
async function writeAnswer(
  directory: string,
  { framework, prepared, files }: Pick<BuildSampleOptions, 'framework' | 'prepared' | 'files'>,
): Promise<string | null> {
  const place = framework.place?.bind(framework) ?? ((path: string) => path);
  const placed = new Map<string, string | Uint8Array>();
  for (const [path, content] of Object.entries(files)) {
    const target = place(path);
    if (target !== null) placed.set(target, content);
  }
  for (const [path, text] of Object.entries(prepared.over ?? { [framework.manifest.path]: framework.manifest.text() }))
    placed.set(path, text);
  const contents = [...placed].map(([path, content]) => [path, Buffer.from(content)] as const);
  const bytes = contents.reduce((sum, [, content]) => sum + content.length, 0);
  if (placed.size > MAX_FILES || bytes > MAX_BYTES)
    return `the answer has ${placed.size} files and ${bytes} bytes; ${MAX_FILES} and ${MAX_BYTES} are allowed`;
  await mkdir(directory);
  try {
    const refuse = (path: string, detail: string): Error =>
      new AssayError('UNSAFE_PATH', { path: JSON.stringify(path.slice(0, 200)), detail });
    const writer = await TreeWriter.open(directory, { owner: sandboxOwner, refuse });
    for (const [path, content] of contents) await writer.addFile(path, content, false);
    await writer.close();
    return null;
  } catch (error) {
    if (AssayError.is(error) && error.code === 'UNSAFE_PATH') return error.message;
    throw error;
  }
}

interface Building {
  prepared: PreparedFramework;
  layers: readonly string[];
  provider: SandboxProvider;
  signal?: AbortSignal;
}

async function runBuild(
  target: string,
  { prepared, layers, provider, signal }: Building,
): Promise<BuiltSample['build']> {
  const from = changesFrom();
  const common = signal ? { signal } : {};
  const sandbox = await provider.create({
    user: 'root',
    cwd: APP,
    env: { ...prepared.env },
    limits: LIMITS,
    mounts: mountsOf(prepared, layers),
    root: prepared.root,
    ...common,
  });
  try {
    const log: string[] = [];
    for (const step of prepared.build) {
      const result = await sandbox.exec(step.command, { timeout: step.timeoutSec * 1000, ...common });
      signal?.throwIfAborted();
      log.push(describe(step, result));
      if (result.exitCode !== 0 && !step.tolerant) return { ok: false, log: log.join('\n') };
    }
    const failure = await takeBuilt(sandbox, { prepared, from, target, ...common });
    signal?.throwIfAborted();
    return { ok: failure === null, log: [...log, ...(failure === null ? [] : [failure])].join('\n') };
  } finally {
    await sandbox.destroy();
  }
}

/** Why what the build left cannot be kept, or null when it is. */
async function takeBuilt(
  sandbox: Sandbox,
  {
    prepared,
    from,
    target,
    signal,
  }: { prepared: PreparedFramework; from: number; target: string; signal?: AbortSignal },
): Promise<string | null> {
  if (!sandbox.exportDirectory)
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: 'this provider',
      detail: 'it cannot hand out directories',
      hint: 'Use bubblewrap, runc or runsc.',
    });
  const place = `/var/tmp/built-${crypto.randomUUID()}`;
  const copy = await sandbox.exec(copyChanges(APP, prepared.built, from, place), { timeout: COPY_MS, signal });
  if (copy.exitCode !== 0) return cannotBeKept(copy.stderr);
  try {
    await sandbox.exportDirectory(place, target);
    return null;
  } catch (error) {
    if (!AssayError.is(error) || error.kind !== 'task') throw error;
    return cannotBeKept(String(error.details['detail']));
  }
}

const cannotBeKept = (why: string): string =>
  `what the build left cannot be kept: ${(why.trim().split('\n')[0] ?? '').slice(-200)}`;

function describe(
  { command }: BuildStep,
  { exitCode, durationMs, stdout, stderr, timedOut, outOfMemory }: ExecResult,
): string {
  const end = timedOut === true ? 'took too long' : outOfMemory === true ? 'ran out of memory' : `exit ${exitCode}`;
  return `$ ${command} (${end}, ${Math.round(durationMs ?? 0)} ms)\n${`${stdout}\n${stderr}`.trim().slice(-STEP_LOG_CHARACTERS)}`;
}
