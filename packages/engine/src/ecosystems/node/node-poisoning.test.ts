import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EnvironmentFixture } from '../environment.fixture.ts';
import { buildNodeEnvironment } from './build-node-environment.ts';

const T0 = '2023-06-15T12:00:00Z';
const INTEGRITY = 'sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==';
const ARCHIVE = 'https://registry.example/is-number/-/is-number-7.0.0.tgz';
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const manifest = (more: object): string =>
  json({
    name: 'shared-demo',
    version: '1.0.0',
    engines: { node: `>=${process.versions.node.split('.')[0]}` },
    ...more,
  });
const dependencies = { 'is-number': '7.0.0' };
/** Rewrites a dependency as soon as it is there, or when the process that loaded this ends. */
const OWN = `const fs = require('node:fs'), path = require('node:path');
const target = path.join(process.env.INIT_CWD || process.cwd(), 'node_modules/is-number/index.js');
const own = () => { try { if (fs.existsSync(target)) { fs.unlinkSync(target); fs.writeFileSync(target, "module.exports = () => 'owned';\\n"); } } catch {} };
own(); process.on('exit', own);
`;

interface Attack {
  /** Equal in both repositories. */
  shared: Record<string, string>;
  /** The file that differs. */
  code: string;
  harmless: string;
  /** Whether the code gets to run in the hostile repository's own build. */
  runs: boolean;
}

const ATTACKS: Record<string, Attack> = {
  'a postinstall script': {
    shared: { 'package.json': manifest({ dependencies, scripts: { postinstall: 'node scripts/setup.cjs' } }) },
    code: 'scripts/setup.cjs',
    harmless: '',
    runs: true,
  },
  'a package in the repository': {
    shared: {
      'package.json': manifest({ dependencies: { ...dependencies, local: 'file:./local' } }),
      'local/package.json': json({ name: 'local', version: '1.0.0', scripts: { postinstall: 'node ./setup.cjs' } }),
    },
    code: 'local/setup.cjs',
    harmless: '',
    runs: true,
  },
  'what .pnpmfile.cjs loads': {
    shared: {
      'package.json': manifest({ dependencies, packageManager: 'pnpm@9.1.0' }),
      '.pnpmfile.cjs': "require('./own/hooks.cjs');\nmodule.exports = {};\n",
      'pnpm-lock.yaml': `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      is-number:
        specifier: 7.0.0
        version: 7.0.0
packages:
  is-number@7.0.0:
    resolution: {integrity: ${INTEGRITY}}
snapshots:
  is-number@7.0.0: {}
`,
    },
    code: 'own/hooks.cjs',
    harmless: '',
    runs: true,
  },
  'yarn-path': {
    shared: {
      'package.json': manifest({ dependencies }),
      '.yarnrc': 'yarn-path "tools/yarn.cjs"\n',
      'yarn.lock': `# yarn lockfile v1\n\n\nis-number@7.0.0:\n  version "7.0.0"\n  resolved "${ARCHIVE}"\n  integrity ${INTEGRITY}\n`,
    },
    code: 'tools/yarn.cjs',
    harmless: '',
    runs: false,
  },
};

describe('a hostile repository and another one with equal manifests', { timeout: 600_000 }, () => {
  let fixture: EnvironmentFixture;
  before(async () => {
    fixture = await EnvironmentFixture.make();
  });
  after(() => fixture.dispose());

  for (const [index, [name, { shared, code, harmless, runs }]] of Object.entries(ATTACKS).entries()) {
    test(`${name} changes nothing for the other one`, async () => {
      const answer = async (tree: string): Promise<string> => {
        const environment = await buildNodeEnvironment(fixture.request(tree, 'node:test', T0));
        assert.ok(environment.spec.pins.includes('is-number==7.0.0'), environment.spec.pins.join(' '));
        return (await fixture.runIn(environment, tree, ['node', '-p', "require('is-number')(5)"])).stdout.trim();
      };
      const hostile = await fixture.tree(`hostile-${index}`, { ...shared, [code]: OWN });
      assert.equal(await answer(hostile), runs ? 'owned' : 'true', 'control: in its own build the attack works');
      const victim = await fixture.tree(`victim-${index}`, { ...shared, [code]: harmless });
      assert.equal(await answer(victim), 'true');
    });
  }

  test('files that no installation sees make no new environment', async () => {
    const files = { 'package.json': manifest({ dependencies, scripts: { test: 'node --test' } }) };
    const build = async (name: string, more: Record<string, string>): Promise<string> => {
      const tree = await fixture.tree(name, { ...files, ...more });
      return (await buildNodeEnvironment(fixture.request(tree, 'node:test', T0))).spec.digest;
    };
    const first = await build('plain', { 'index.js': '1' });
    const sandboxes = fixture.created.length;
    assert.equal(await build('plain-later', { 'index.js': '2', 'lib/other.js': '3' }), first);
    assert.equal(fixture.created.length, sandboxes);
  });
});
