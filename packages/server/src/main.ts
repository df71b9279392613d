#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Halves the time of every start after the first. The bootstrap script chooses a place of its own; what this process
// starts gets a clean environment.
if (process.env['NODE_COMPILE_CACHE'] === undefined) {
  const { cacheDirectory } = await import('@assay/files/store/paths');
  enableCompileCache(join(cacheDirectory(), 'compile-cache'));
}
delete process.env['NODE_COMPILE_CACHE'];
const { runCli } = await import('./cli.ts');
await runCli(process.argv.slice(2));
