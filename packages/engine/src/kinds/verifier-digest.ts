import { join } from 'node:path';
import { verifierDigest as judgingDigest } from '@assay/judging/receipts/verifier-digest';

/**
 * Returns `sha256:<hex>` over the code that reaches verdicts on tasks: the engine, the packages below it, and `further`
 * by name.
 */
export const verifierDigest = (further: Readonly<Record<string, string>> = {}): Promise<string> =>
  judgingDigest({ engine: join(import.meta.dirname, '..'), ...further });
