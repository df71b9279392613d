#!/usr/bin/env node
import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Halves the time of every start after the first. The bootstrap script chooses a place of its own; what this process
// starts gets a clean environment.
if (process.env['NODE_COMPILE_CACHE'] === undefined) {
  const { cacheDirectory } = await import('@assay/files/store/paths');
  const directory = join(cacheDirectory(), 'compile-cache');
  if (isMade(directory)) enableCompileCache(directory);
}
delete process.env['NODE_COMPILE_CACHE'];
const { runCli } = await import('./cli.ts');
await runCli(process.argv.slice(2));

/** Node makes the directory by itself, and never comes back where none can be made, such as below /proc. */
function isMade(directory: string): boolean {
  try {
    if (statSync(directory, { throwIfNoEntry: false }) === undefined) mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}
