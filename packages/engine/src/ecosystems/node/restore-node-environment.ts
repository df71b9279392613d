import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import type { PreparedEnvironment, RestoreRequest } from '../ecosystem.ts';
import { findNode } from './find-node.ts';
import { openNodeEnvironment } from './open-node-environment.ts';

/**
 * Unpacks the modules of a bundle for the Node of the proof or another of its major. Throws `INTERPRETER_MISSING` and
 * `ENVIRONMENT_FAILED`.
 */
export async function restoreNodeEnvironment({
  spec,
  bundleDirectory,
  cacheDirectory,
  signal,
}: RestoreRequest): Promise<PreparedEnvironment> {
  const archive = join(bundleDirectory, 'node_modules.tar.gz');
  const exists = await access(archive).then(
    () => true,
    () => false,
  );
  if (!exists && spec.pins.length > 0)
    throw new AssayError('ENVIRONMENT_FAILED', { detail: 'the bundle lacks node_modules.tar.gz' });
  const interpreter = await findNode(spec.interpreter, cacheDirectory, signal);
  return openNodeEnvironment(spec, { archive: exists ? archive : null, interpreter, cacheDirectory });
}
