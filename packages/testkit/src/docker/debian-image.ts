import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@assay/sandbox';

/** Documentation is a third of it. */
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*'];

/**
 * A tarball of a small file tree of this machine's own release of Debian or Ubuntu, with `packages` beside the
 * essential ones, made by mmdebstrap from the mirrors that apt is configured with. Kept in the cache: making it takes
 * half a minute. Throws what mmdebstrap said.
 */
export async function debianImage(packages: readonly string[]): Promise<string> {
  const release = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  const sources = await aptSources(release);
  const key = createHash('sha256')
    .update(JSON.stringify([release, packages, LEFT_OUT, sources, process.arch]))
    .digest('hex')
    .slice(0, 12);
  const directory = join(
    process.env['ASSAY_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'assay'),
    'test-images',
  );
  const tarball = join(directory, `${release}-${key}.tar`);
  if (existsSync(tarball)) return tarball;
  mkdirSync(directory, { recursive: true });
  const fresh = `${tarball}.${process.pid}.new.tar`;
  const options = [
    ...LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`),
    ...(await aptOptions()).map((option) => `--aptopt=${option}`),
  ];
  try {
    await output([
      'mmdebstrap',
      '--variant=minbase',
      `--include=${packages.join(',')}`,
      ...options,
      release,
      fresh,
      ...sources,
    ]);
    renameSync(fresh, tarball);
  } finally {
    rmSync(fresh, { force: true });
  }
  return tarball;
}

/** One-line entries for what apt has of this release, without the repositories of others. */
async function aptSources(release: string): Promise<string[]> {
  const lines = await output([
    'apt-get',
    'indextargets',
    '--format',
    '$(CREATED_BY)\t$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)',
  ]);
  const entries = lines
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(
      ([by, , suite = '', component]) =>
        by === 'Packages' && component === 'main' && (suite === release || suite.startsWith(`${release}-`)),
    );
  return [...new Set(entries.map(([, uri, suite, component]) => `deb ${uri} ${suite} ${component}`))];
}

/** How this machine gets to its mirrors. */
async function aptOptions(): Promise<string[]> {
  const lines = await output(['apt-config', 'dump', '--format', '%F "%v";%n', 'Acquire']);
  return lines.split('\n').filter((line) => /^Acquire::https?::/.test(line));
}

async function output(argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(argv, { timeoutMs: 15 * 60_000 });
  if (exitCode !== 0) throw new Error(`${argv[0]} ended with ${exitCode}: ${stderr.toString('utf8').slice(-2000)}`);
  return stdout.toString('utf8');
}
