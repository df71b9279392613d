import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '@assay/files/store/paths';
import { runCommand } from '@assay/sandbox';

/** One release of each line of Node that the package is for. */
export const NODE_RELEASES = ['22.23.3', '24.21.0', '26.10.0'] as const;

/** The `node` of a release, from npm; kept in the cache. Throws what npm said. */
export async function nodeRelease(version: string): Promise<string> {
  if (process.versions.node === version) return process.execPath;
  const parent = join(cacheDirectory(), 'test-node');
  const kept = join(parent, `${version}-${process.arch}`);
  if (existsSync(kept)) return kept;
  mkdirSync(parent, { recursive: true });
  const fresh = mkdtempSync(join(parent, 'new-'));
  try {
    const name = `node-linux-${process.arch}`;
    await run(['npm', 'pack', '--loglevel=error', `${name}@${version}`], fresh);
    await run(
      ['tar', '-xzf', `${name}-${version}.tgz`, '--strip-components=2', '--no-same-owner', 'package/bin/node'],
      fresh,
    );
    renameSync(join(fresh, 'node'), kept);
    return kept;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * Runs a command with the environment of the tests, which knows the way to npm's registry. Throws when it fails.
 * Returns its standard output.
 */
export async function run(argv: string[], cwd: string): Promise<string> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name, value]) => value !== undefined && name !== 'NODE_OPTIONS'),
  );
  const env = { ...inherited, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const { exitCode, stdout, stderr, timedOut } = await runCommand(argv, { cwd, env, timeoutMs: 300_000 });
  if (exitCode !== 0)
    throw new Error(
      `${argv.join(' ')} ${timedOut ? 'took too long' : `ended with ${exitCode}`}: ${stdout.toString('utf8').slice(-2000)} ${stderr.toString('utf8').slice(-4000)}`,
    );
  return stdout.toString('utf8');
}
