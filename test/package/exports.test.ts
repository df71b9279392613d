import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../../build/read-manifest.ts';
import { neededExports } from '../../build/update-exports.ts';

test('each entry point of a package leads somewhere, and is documented or used by another package', () => {
  for (const [name, needed] of neededExports()) {
    const { exports } = readManifest(join(import.meta.dirname, '../../packages', name));
    assert.deepEqual(exports, needed, `packages/${name}: run \`node build/update-exports.ts\``);
    assert.deepEqual(
      Object.keys(exports).filter((subpath) => subpath.includes('*')),
      [],
    );
  }
});
