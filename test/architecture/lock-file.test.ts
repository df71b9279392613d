import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';

const Names = z.record(z.string(), z.string()).optional();
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ resolved: z.string().optional(), dependencies: Names, optionalDependencies: Names }),
  ),
});

const read = async (): Promise<z.infer<typeof Lock>['packages']> =>
  Lock.parse(JSON.parse(await readFile(join(import.meta.dirname, '../../package-lock.json'), 'utf8'))).packages;

/** Where Node would find `name` from `path`, among what is locked. */
function isLocked(packages: object, path: string, name: string): boolean {
  for (let place = path; ; place = place.replace(/\/?[^/]*$/, '')) {
    if (`${place === '' ? '' : `${place}/`}node_modules/${name}` in packages) return true;
    if (place === '') return false;
  }
}

// A registry mirror without the packages of other platforms makes `npm install` write a lock file that `npm ci` then
// refuses.
test('the lock file holds everything that a locked package asks for, of other platforms too', async () => {
  const packages = await read();
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(packages, path, name))
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('no host of a registry stands in the lock file', async () => {
  for (const [path, { resolved }] of Object.entries(await read()))
    assert.ok(resolved === undefined || resolved.startsWith('packages/'), path);
});
