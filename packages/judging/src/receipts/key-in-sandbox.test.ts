import assert from 'node:assert/strict';
import { lstatSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chooseProvider, type SandboxOptions } from '@assay/sandbox';
import { createKey, keyPath } from './key-file.ts';

/** Where people's configuration lies, and where tests put it. */
const PLACES = [...new Set([homedir(), tmpdir(), '/var/tmp'])];
const former = { config: process.env['XDG_CONFIG_HOME'], key: process.env['ASSAY_KEY'] };

const keys: { directory: string; path: string; secret: string }[] = [];
before(async () => {
  for (const place of PLACES) {
    const directory = await mkdtemp(join(place, '.assay-key-test-'));
    await chmod(directory, 0o755);
    process.env['XDG_CONFIG_HOME'] = directory;
    delete process.env['ASSAY_KEY'];
    const { path } = await createKey(keyPath());
    // Even those that anybody may look into.
    await chmod(join(path, '..'), 0o755);
    const [, secret = ''] = (await readFile(path, 'utf8')).split('\n');
    keys.push({ directory, path, secret });
    process.env['ASSAY_KEY'] = path;
  }
});
after(async () => {
  for (const [name, value] of [
    ['XDG_CONFIG_HOME', former.config],
    ['ASSAY_KEY', former.key],
  ] as const) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  for (const { directory } of keys) await rm(directory, { recursive: true, force: true });
});

/**
 * Looks for all keys from inside: paths that exist, contents that can be read, and names in the environment.
 */
async function look(options: SandboxOptions): Promise<string> {
  const provider = await chooseProvider('namespace');
  const sandbox = await provider.create(options);
  try {
    const lines = keys.flatMap(({ path, directory }) =>
      ['', '/host', '/proc/1/root'].map(
        (above) => `ls -d '${above}${directory}' '${above}${path}'; cat '${above}${path}'`,
      ),
    );
    const { stdout } = await sandbox.exec(
      `{ ${lines.join('; ')}; env; cat /proc/self/environ /proc/1/environ; } 2>/dev/null; true`,
    );
    return stdout;
  } finally {
    await sandbox.destroy();
  }
}

describe('the key in a sandbox', () => {
  test('is not there: no file, no directory, no variable', async () => {
    const seen = await look({});
    assert.doesNotMatch(seen, /receipt-key|assay-key-test|ASSAY_KEY|XDG_CONFIG_HOME|PRIVATE KEY/);
    for (const { secret } of keys) assert.ok(!seen.includes(secret));
  });

  test('control: with the seal host-files off it is, wherever the directories above let others through', async () => {
    const seen = await look({ unsealed: ['host-files'] });
    const open = keys.filter(({ directory }) => (lstatSync(join(directory, '..')).mode & 0o001) !== 0);
    assert.ok(open.length > 0);
    for (const { path } of open) assert.ok(seen.includes(`/host${path}`), path);
  });
});
