import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import { pythonEcosystem } from '../ecosystems/python/python-ecosystem.ts';
import { licenceOf } from './licence-of.ts';

const MIT =
  'The MIT License\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy. The above copyright notice and this\n' +
  'permission notice shall be included.\n';
const BSD =
  'Redistribution and use in source and binary forms, with or without\nmodification.\n3. Neither the name of X.';

test('the licence of a tree: the manifest first, then the text of its one licence file, else none', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-licence-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const pyproject = (lines: string): Record<string, string> => ({
    'pyproject.toml': `[project]\nname = "x"\n${lines}\n`,
  });
  const cases: [typeof nodeEcosystem, Record<string, string>, string | null][] = [
    [nodeEcosystem, { 'package.json': '{"license": "MIT"}', LICENSE: BSD }, 'MIT'],
    [nodeEcosystem, { 'package.json': '{"license": "(MIT OR Apache-2.0)"}' }, '(MIT OR Apache-2.0)'],
    [nodeEcosystem, { 'package.json': '{"license": {"type": "ISC"}}' }, 'ISC'],
    [nodeEcosystem, { 'package.json': '{"license": "SEE LICENSE IN x"}', LICENSE: MIT }, 'MIT'],
    [nodeEcosystem, { 'package.json': '{"license": "UNLICENSED"}' }, null],
    [nodeEcosystem, { 'package.json': '{"license": ["MIT"]}', 'LICENSE.md': BSD }, 'BSD-3-Clause'],
    [nodeEcosystem, { 'package.json': '{' }, null],
    [pythonEcosystem, pyproject('license = "BSD-3-Clause"'), 'BSD-3-Clause'],
    [pythonEcosystem, pyproject('license = {text = "Apache License 2.0"}'), 'Apache-2.0'],
    [pythonEcosystem, pyproject('classifiers = ["License :: OSI Approved :: MIT License"]'), 'MIT'],
    [pythonEcosystem, pyproject('classifiers = ["License :: OSI Approved :: BSD License"]'), null],
    [pythonEcosystem, { 'setup.cfg': '[metadata]\nlicense = MIT\n' }, 'MIT'],
    [pythonEcosystem, { COPYING: MIT, LICENSE: BSD }, null],
    [pythonEcosystem, { LICENSE: 'All rights reserved.' }, null],
  ];
  for (const [index, [ecosystem, files, expected]] of cases.entries()) {
    const tree = join(directory, String(index));
    await mkdir(tree);
    for (const [name, text] of Object.entries(files)) await writeFile(join(tree, name), text);
    assert.equal(await licenceOf(tree, ecosystem), expected, JSON.stringify(files));
  }
});

test('a link to a file of the machine is not read', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-licence-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'tree'));
  await writeFile(join(directory, 'outside'), MIT);
  await symlink('../outside', join(directory, 'tree', 'LICENSE'));
  assert.equal(await licenceOf(join(directory, 'tree'), pythonEcosystem), null);
});
