import { join } from 'node:path';
import { verifierDigest as judgingDigest } from '@assay/judging/receipts/verifier-digest';

/** `sha256:<hex>` over the code that reaches verdicts on tasks: the engine, all that it stands on, and `further` by name. */
export const verifierDigest = (further: Readonly<Record<string, string>> = {}): Promise<string> =>
  judgingDigest({ engine: join(import.meta.dirname, '..'), ...further });
