import { createHash } from 'node:crypto';
import { canonicalJson } from '@assay/protocol';

/** sha256 hex over everything that a layer is made from. */
export function layerDigest(inputs: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(canonicalJson({ ...inputs, architecture: process.arch }))
    .digest('hex');
}
