import { canonicalJson } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';

/** sha256 hex over everything that a layer is made from. */
export function layerDigest(inputs: Readonly<Record<string, unknown>>): string {
  return sha256(canonicalJson({ ...inputs, architecture: process.arch }));
}
