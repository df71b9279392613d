import { join } from 'node:path';
import type { EnvironmentSpec } from '@assay/protocol';
import type { Mount } from '@assay/sandbox';
import { sha256, sha256File } from '@assay/files/content-digest';
import type { PreparedEnvironment } from '../ecosystem.ts';
import { boxTools } from './box-tools.ts';
import type { NodeInterpreter } from './find-node.ts';
import { findModules, SCRATCH_DIRECTORIES, unpackModules } from './modules-layer.ts';
import { NODE_ENVIRONMENT, nodeMounts } from './node-mounts.ts';

export interface OpenNodeOptions {
  /** The packed `node_modules`; null when the tree has no dependencies. */
  archive: string | null;
  interpreter: NodeInterpreter;
  cacheDirectory: string;
}

/** Computes the sha256, in hex, of an environment's parts: the interpreter's version and the archive. */
export async function nodeDigest(archive: string | null, interpreterVersion: string): Promise<string> {
  return sha256(`node ${interpreterVersion}\n${archive === null ? '' : await sha256File(archive)}`);
}

/** Opens an environment, unpacking its archive once per content. */
export async function openNodeEnvironment(
  spec: EnvironmentSpec,
  { archive, interpreter, cacheDirectory }: OpenNodeOptions,
): Promise<PreparedEnvironment> {
  const layer = archive === null ? null : await unpackModules(archive, cacheDirectory);
  const tools = await boxTools(cacheDirectory);
  const paths = layer === null ? [] : await findModules(layer);
  const mount = (path: string, writable: boolean): Mount[] => {
    const source = join(layer ?? '', path);
    const target = `/workspace/${path}`;
    if (writable) return [{ kind: 'layers', sources: [source], target }];
    return [
      { kind: 'read-only', source, target },
      ...SCRATCH_DIRECTORIES.map((name): Mount => ({ kind: 'layers', sources: [], target: `${target}/${name}` })),
    ];
  };
  return {
    // The digest of what was restored, whatever the bundle claims.
    spec: { ...spec, interpreter: interpreter.version, digest: await nodeDigest(archive, interpreter.version) },
    mounts: ({ writable }) => [...nodeMounts(interpreter), ...tools, ...paths.flatMap((path) => mount(path, writable))],
    env: { ...NODE_ENVIRONMENT },
    layerDirectories: paths.map((path) => join(layer ?? '', path)),
    bundleFiles: new Map(archive === null ? [] : [['node_modules.tar.gz', archive]]),
  };
}
