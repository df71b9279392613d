import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { packDirectory } from '@assay/files/tar';
import type { EnvironmentSpec } from '@assay/protocol';
import { EnvironmentFixture } from '../environment.fixture.ts';
import { openNodeEnvironment } from './open-node-environment.ts';

const SPEC: EnvironmentSpec = {
  ecosystem: 'node',
  interpreter: process.versions.node,
  digest: '',
  resolution: 'lockfile',
  cutoff: '2023-06-15T12:00:00.000Z',
  pins: [],
  excluded: [],
};

test('runners write beside the modules of every package of a workspace, and into none of the modules', async (context) => {
  const fixture = await EnvironmentFixture.make();
  context.after(() => fixture.dispose());
  const tree = await fixture.tree('workspace', { 'package.json': '{}', 'packages/a/package.json': '{}' });
  const modules = await fixture.tree('modules', {
    'node_modules/x/index.js': '1',
    'packages/a/node_modules/y/index.js': '2',
  });
  const archive = join(fixture.directory, 'node_modules.tar.gz');
  await packDirectory(modules, archive);
  const environment = await openNodeEnvironment(SPEC, {
    archive,
    interpreter: { version: process.versions.node, executable: process.execPath },
    cacheDirectory: join(fixture.directory, 'cache'),
  });
  const write = (path: string): string => `mkdir -p ${path}/vitest && echo 3 > ${path}/vitest/results.json`;
  for (const directory of ['node_modules', 'packages/a/node_modules']) {
    for (const name of ['.vite', '.vite-temp', '.vitest', '.cache', '.tmp']) {
      const wrote = await fixture.runIn(environment, tree, ['/bin/sh', '-c', write(`${directory}/${name}`)]);
      assert.equal(wrote.exitCode, 0, wrote.stderr);
    }
    const changed = await fixture.runIn(environment, tree, ['/bin/sh', '-c', `echo 4 > ${directory}/*/index.js`]);
    assert.notEqual(changed.exitCode, 0);
  }
});
