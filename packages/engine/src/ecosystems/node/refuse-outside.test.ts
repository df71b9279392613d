import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { refuseOutside } from './refuse-outside.ts';

type Manifests = Record<string, object>;
const CASES: [title: string, manifests: Manifests, told: RegExp | null][] = [
  [
    'packages of the repository itself',
    {
      '.': { workspaces: ['packages/*'], dependencies: { a: 'file:packages/a', b: '^1.0.0', c: './vendor/c' } },
      'packages/a': { devDependencies: { b: 'link:../b', root: 'file:../..' } },
    },
    null,
  ],
  ['a neighbour of the repository', { '.': { dependencies: { a: 'file:../a' } } }, /takes a from file:\.\.\/a/],
  [
    'one that only a package names',
    { '.': { workspaces: ['packages/*'] }, 'packages/a': { devDependencies: { b: 'link:../../../b' } } },
    /packages\/a\/package\.json takes b from link/,
  ],
  ['an absolute place', { '.': { dependencies: { a: 'portal:/opt/a' } } }, /outside of the repository/],
  ['a home', { '.': { dependencies: { a: '~/a' } } }, /outside of the repository/],
  ['a workspace beside the repository', { '.': { workspaces: ['../other/*'] } }, /workspace holds \.\.\/other/],
];

for (const [title, manifests, told] of CASES)
  test(`dependencies on ${title}`, async (context) => {
    const tree = await mkdtemp(join(tmpdir(), 'assay-outside-'));
    context.after(() => rm(tree, { recursive: true, force: true }));
    for (const [directory, manifest] of Object.entries(manifests)) {
      const path = join(tree, directory, 'package.json');
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify(manifest));
    }
    if (told === null) return refuseOutside(tree);
    await assert.rejects(
      refuseOutside(tree),
      (error) => AssayError.is(error) && error.code === 'ENVIRONMENT_FAILED' && told.test(error.message),
    );
  });
