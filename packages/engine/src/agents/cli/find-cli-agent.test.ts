import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import semver from 'semver';
import { parse } from 'smol-toml';
import type { CliPlatform, CliRecipe, CliSetting } from './cli-agent.ts';
import { CLI_RECIPES, findCliAgent } from './find-cli-agent.ts';

const PLATFORM: CliPlatform = { arch: 'x64', libc: 'glibc', avx2: true };
const TOKEN = 'token-of-this-trial';

const settingOf = (recipe: CliRecipe, dialect = recipe.dialects[0] ?? 'openai-chat'): CliSetting => ({
  model: 'a "model"',
  dialect,
  endpoint: 'http://127.0.0.1:7001/v1',
  token: TOKEN,
  modules: '/opt/agent/node_modules',
  platform: PLATFORM,
  home: '/home/user',
});

describe('the coding agents by name', () => {
  for (const recipe of CLI_RECIPES) {
    const { name, version } = recipe;

    test(`${name}: its pinned version, or another exact one`, () => {
      assert.equal(findCliAgent(name)?.version, version);
      assert.equal(findCliAgent(`${name}@1.2.3`)?.version, '1.2.3');
      assert.equal(findCliAgent(`${name}@1.2.3-beta.1`)?.version, '1.2.3-beta.1');
      assert.equal(semver.valid(version), version);
    });

    for (const wrong of ['', 'latest', '^1.0.0', '1', '1.2', 'v1.2.3', '1.2.3 ', '1.2.3@2', '../../1.2.3', '1.2.3\n']) {
      test(`${name}@${JSON.stringify(wrong)} is no exact version`, () => {
        assert.throws(
          () => findCliAgent(`${name}@${wrong}`),
          (error) =>
            AssayError.is(error) && error.code === 'BAD_OPTION' && error.message.includes(`such as ${name}@${version}`),
        );
      });
    }

    test(`${name}: what it is made of is pinned for this version`, () => {
      const { own, optional } = recipe.parts(PLATFORM);
      assert.ok(own || optional.some(({ needed }) => needed));
      assert.ok(
        Object.keys(recipe.integrity).some((key) => key.includes('x64') || key === `${recipe.package}@${version}`),
      );
      for (const integrity of Object.values(recipe.integrity)) assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
    });

    test(`${name}: the token is in the environment alone, never in files or on the command line`, () => {
      const { argv, env, files } = recipe.launch(settingOf(recipe));
      assert.ok(Object.values(env).includes(TOKEN));
      assert.ok(!JSON.stringify([argv, files]).includes(TOKEN));
      assert.ok(argv[0] === 'node' || argv[0]?.startsWith('/opt/agent/'));
    });

    test(`${name}: it asks the lane, and its settings hold whatever the model is called`, () => {
      const { argv, env, files } = recipe.launch(settingOf(recipe));
      const read = Object.entries(files).map(([path, text]) =>
        path.endsWith('.toml') ? parse(text) : JSON.parse(text),
      );
      const all = JSON.stringify([argv, env, read]);
      assert.ok(all.includes('http://127.0.0.1:7001'));
      assert.ok(all.includes(JSON.stringify('a "model"').slice(1, -1)));
    });

    test(`${name}: texts for agents are not what steers it`, () => {
      for (const path of ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.claude/CLAUDE.md']) {
        assert.ok(!recipe.steering.some((each) => path === each || path.startsWith(`${each}/`)), path);
      }
    });
  }

  test('other names are none of theirs', () => {
    for (const name of ['', 'claude', 'nop', 'oracle', 'cheat:B1', '@1.2.3', 'Codex'])
      assert.equal(findCliAgent(name), null);
  });

  test('opencode takes each dialect by its own library', () => {
    const recipe = CLI_RECIPES.find(({ name }) => name === 'opencode');
    assert.ok(recipe);
    const libraries = recipe.dialects
      .map((dialect) => Object.values(recipe.launch(settingOf(recipe, dialect)).files)[0] ?? '')
      .map((text) => /"npm":"([^"]+)"/.exec(text)?.[1]);
    assert.deepEqual(libraries, ['@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/google', '@ai-sdk/openai']);
  });
});
