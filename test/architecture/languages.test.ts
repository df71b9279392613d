import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
/** The names of our own members as a condition, a type or a key by which code chooses. */
const NAME = '(?:python|node|npm|pypi|pytest|jest|mocha|vitest|node:test)';
const SWITCH = new RegExp(
  `(?:[=!]==|case|\\|)\\s*['"]${NAME}['"]|['"]${NAME}['"]\\s*(?:[=!]==|\\|(?!\\|))|enum\\(\\[[^\\]]*['"]${NAME}['"]`,
);
/** Variables that only one language's interpreter or runner reads. */
const VARIABLE = /\b(?:PYTHON(?:PATH|STARTUP)|NODE_(?:OPTIONS|PATH)|PYTEST_\w+|RUBY(?:OPT|LIB))\b/;
/** The members themselves, tests and what only these use, and rules about what agents wrote in whatever language. */
const OWN =
  /engine\/src\/(?:ecosystems|trace\/audit\/rules)\/|package-lane\/(?:npm|pypi)\/|\.(?:test|fixture)\.ts$|\/testing\//;
/** Each with its reason. */
const ALLOWED = new Map([
  ['packages/engine/src/agents/cli/make-cli-agent.ts', 'the name of a program, and no language'],
]);

test('no language and no index is chosen by name outside its own folder', async () => {
  const found: string[] = [];
  for (const folder of ['packages/engine/src', 'packages/lanes/src', 'packages/files/src', 'packages/server/src'])
    for await (const path of glob(`${folder}/**/*.ts`, { cwd: ROOT })) {
      if (OWN.test(path) || ALLOWED.has(path)) continue;
      for (const [index, line] of (await readFile(join(ROOT, path), 'utf8')).split('\n').entries())
        if (SWITCH.test(line) || VARIABLE.test(line)) found.push(`${path}:${index + 1}: ${line.trim()}`);
    }
  assert.deepEqual(found, [], 'ask the ecosystem, or the package index, for what differs');
});

test('control: such lines are seen', () => {
  for (const line of [
    "if (language === 'python') return;",
    "kind: 'npm' | 'pypi';",
    "case 'node':",
    "ecosystem: z.enum(['python', 'node']),",
    "const ecosystem = runner === 'pytest' ? first : second;",
  ])
    assert.match(line, SWITCH);
  assert.match("env: { ...launch.env, PYTHONPATH: '/workspace' },", VARIABLE);
  assert.doesNotMatch("withUpstream('npm', options)", SWITCH);
});
