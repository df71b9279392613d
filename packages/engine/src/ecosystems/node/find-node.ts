import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { fetchNpmPackage } from '@assay/lanes/package-lane/tool-download';

/** A Node on this machine. */
export interface NodeInterpreter {
  /** Such as `22.11.0`. */
  version: string;
  executable: string;
}

/**
 * Finds a Node of a major (`22`) or an exact version: the one that runs Assay, one on PATH, else one from the machine's
 * own registry. If an exact version cannot be had, another of its major will do. Throws `INTERPRETER_MISSING`.
 */
export async function findNode(wanted: string, cacheDirectory: string, signal?: AbortSignal): Promise<NodeInterpreter> {
  const major = wanted.split('.')[0] ?? wanted;
  const local = await localNodes();
  const exact =
    local.find(({ version }) => version === wanted) ??
    (wanted === major ? local.find(({ version }) => version.startsWith(`${major}.`)) : undefined);
  if (exact) return exact;
  for (const range of new Set([wanted, major])) {
    const fetched = await fetchNode(range, cacheDirectory, signal).catch(() => null);
    signal?.throwIfAborted();
    const near = fetched ?? local.find(({ version }) => version.startsWith(`${major}.`));
    if (near) return near;
  }
  throw new AssayError('INTERPRETER_MISSING', { language: 'Node', wanted });
}

/** See `Ecosystem.interpreters`. */
export const nodeVersions = async (): Promise<string[]> => (await localNodes()).map(({ version }) => version);

async function localNodes(): Promise<NodeInterpreter[]> {
  const nodes: NodeInterpreter[] = [{ version: process.versions.node, executable: process.execPath }];
  for (const directory of (process.env['PATH'] ?? '').split(delimiter).filter((each) => each.startsWith('/'))) {
    const node = await probe(join(directory, 'node'));
    if (node && !nodes.some(({ version }) => version === node.version)) nodes.push(node);
  }
  return nodes;
}

async function fetchNode(range: string, cacheDirectory: string, signal?: AbortSignal): Promise<NodeInterpreter | null> {
  const name = `node-linux-${process.arch}`;
  const directory = await fetchNpmPackage(name, range, join(cacheDirectory, 'tools'), { cacheDirectory, signal });
  return probe(join(directory, 'bin', 'node'));
}

const known = new Map<string, NodeInterpreter>();

/** Asks each program once per process. */
async function probe(executable: string): Promise<NodeInterpreter | null> {
  const interpreter = known.get(executable) ?? (await ask(executable));
  if (interpreter) known.set(executable, interpreter);
  return interpreter;
}

async function ask(executable: string): Promise<NodeInterpreter | null> {
  if (
    !(await access(executable, constants.X_OK).then(
      () => true,
      () => false,
    ))
  )
    return null;
  // `process.execPath` is the real program, even behind a link.
  const answer = await runCommand([executable, '-p', 'process.versions.node + " " + process.execPath'], {
    timeoutMs: 20_000,
  }).catch(() => null);
  const match = /^(\d+\.\d+\.\d+) (\/.+)$/.exec(answer?.exitCode === 0 ? answer.stdout.toString().trim() : '');
  return match?.[1] && match[2] ? { version: match[1], executable: match[2] } : null;
}
