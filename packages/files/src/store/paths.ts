import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the place for everything that can be made again: `$ASSAY_CACHE`, else the XDG cache directory. */
export function cacheDirectory(): string {
  const given = process.env['ASSAY_CACHE'];
  if (given) return given;
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'assay');
}
