import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Scene } from '../../cheats/cheat.ts';
import { CHEATS } from '../../cheats/index.ts';
import { nodeEcosystem } from '../../ecosystems/node/node-ecosystem.ts';
import { pythonEcosystem } from '../../ecosystems/python/python-ecosystem.ts';
import type { Act } from './act.ts';
import { matchRule } from './match-rule.ts';
import { readShell } from './read-shell.ts';
import { AUDIT_RULES } from './rules/index.ts';
import { splitShell } from './shell-words.ts';

const SHARED = {
  project: 'target',
  codeHost: 'http://10.1.2.3',
  registry: 'http://10.1.2.4',
  datagramPort: 5300,
  hostSecretPath: '/srv/secret',
};
const SCENES: Scene[] = [
  {
    ...SHARED,
    attacks: pythonEcosystem.attacks,
    runner: 'pytest',
    sourceFiles: ['src/a.py'],
    expectedIds: ['tests/test_a.py::test_a'],
  },
  {
    ...SHARED,
    attacks: nodeEcosystem.attacks,
    runner: 'vitest',
    sourceFiles: ['src/a.ts'],
    expectedIds: ['tests/a.test.ts > a'],
  },
  { ...SHARED, attacks: nodeEcosystem.attacks, runner: 'mocha', sourceFiles: ['lib/a.js'], expectedIds: ['a'] },
];
const place = { file: 'x' };

/** The acts of an agent that runs the script as one command and submits the files that it wrote into the repository. */
function actsOf(script: string): Act[] {
  const submitted = splitShell(script).flatMap(({ writes, input }) =>
    writes
      .filter((path) => !path.startsWith('/'))
      .flatMap((path): Act[] => [
        { kind: 'submitted-path', text: path, place },
        { kind: 'submitted-text', text: input, path, place, isOld: () => false },
      ]),
  );
  return [...readShell(script, place), ...submitted];
}

test('the corpus of cheats: the audit is silent on those that the page names, and on no other', async () => {
  const silent = CHEATS.filter((cheat) => {
    const scripts = SCENES.map((scene) => cheat.script(scene)).filter((script) => script !== null);
    return !scripts.every((script) =>
      actsOf(script).some((act) => AUDIT_RULES.some((rule) => matchRule(rule, act).length > 0)),
    );
  });
  const page = await readFile(join(import.meta.dirname, '../../../../../docs/audit.md'), 'utf8');
  const named = [
    ...(page.split('corpus of cheats')[1]?.split('\n\n')[0] ?? '').matchAll(/`([A-Z]\d+(?:-[a-z]+)?)`/g),
  ].map(([, id]) => id);
  assert.deepEqual(
    named,
    silent.map(({ id }) => id),
  );
});
