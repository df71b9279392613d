import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fetchNpmPackage } from '@assay/lanes/package-lane/tool-download';
import type { NodeInterpreter } from './find-node.ts';

/**
 * Finds the directory of the headers of a Node: beside its program, else in the package of its very version from the
 * machine's own registry. Null when there is neither: node-gyp then wants a network.
 */
export async function findNodeHeaders(
  { version, executable }: NodeInterpreter,
  cacheDirectory: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const beside = join(dirname(dirname(executable)), 'include', 'node');
  if (await areOf(version, beside)) return beside;
  const name = `node-linux-${process.arch}`;
  const fetched = await fetchNpmPackage(name, version, join(cacheDirectory, 'tools'), { cacheDirectory, signal }).catch(
    () => null,
  );
  signal?.throwIfAborted();
  const headers = join(fetched ?? '/nowhere', 'include', 'node');
  return (await areOf(version, headers)) ? headers : null;
}

async function areOf(version: string, directory: string): Promise<boolean> {
  const text = await readFile(join(directory, 'node_version.h'), 'utf8').catch(() => '');
  const part = (name: string): string => new RegExp(`^#define NODE_${name}_VERSION (\\d+)`, 'm').exec(text)?.[1] ?? '';
  return ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.') === version;
}
