import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '@assay/sandbox';
import { aptMirrors } from './apt-mirrors.ts';
import { DebianLock } from './debian-lock.ts';

/** Packages of every tree: a shell, and the programs that the sandbox and the tests call inside. */
const ALWAYS = [
  'base-files',
  'bash',
  'coreutils',
  'dash',
  'diffutils',
  'findutils',
  'grep',
  'gzip',
  'hostname',
  'libc-bin',
  'procps',
  'sed',
  'sqlite3',
  'tar',
];
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const LINE = /^'(?<address>[^']+)' (?<name>[^_]+)_(?<version>[^_]+)_\S+ \d+ SHA256:(?<sha256>[0-9a-f]{64})$/;

/**
 * Pins what apt would install now for a lock's `wanted`, from the first mirror of this machine, whose signature is
 * checked. apt works in a directory of its own and changes nothing on the machine. Throws what it says when it fails.
 */
export async function lockPackages({ suite, wanted, links }: Omit<DebianLock, 'packages'>): Promise<DebianLock> {
  const [mirror] = await aptMirrors();
  if (mirror === undefined) throw new Error('apt of this machine has no source of Debian packages over HTTP');
  const directory = await mkdtemp(join(tmpdir(), 'assay-apt-'));
  try {
    const apt = await openApt(directory, `deb [signed-by=${KEYRING}] ${mirror} ${suite} main\n`);
    await apt(['update']);
    const lines = (await apt(['install', '--print-uris', '--yes', '-qq', ...ALWAYS, ...wanted]))
      .split('\n')
      .filter((line) => line.startsWith("'"));
    return DebianLock.parse({
      suite,
      wanted,
      links,
      packages: lines.map((line) => pinOf(line, mirror)).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function pinOf(line: string, mirror: string): DebianLock['packages'][number] {
  const { address = '', name = '', version = '', sha256 = '' } = LINE.exec(line)?.groups ?? {};
  if (!address.startsWith(mirror)) throw new Error(`apt printed a line that is not understood: ${line}`);
  return { name, version: decodeURIComponent(version), path: address.slice(mirror.length), sha256 };
}

/** apt-get with nothing installed and one source, as a function of its arguments that gives what it prints. */
async function openApt(directory: string, source: string): Promise<(argv: string[]) => Promise<string>> {
  const at = (name: string): string => join(directory, name);
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'parts'])
    await mkdir(at(name), { recursive: true });
  const settings = {
    'Dir::State': at('state'),
    'Dir::State::status': at('status'),
    'Dir::Cache': at('cache'),
    'Dir::Etc::sourcelist': at('sources.list'),
    'Dir::Etc::sourceparts': at('parts'),
    'Dir::Etc::preferences': at('none'),
    'Dir::Etc::preferencesparts': at('parts'),
    'APT::Architecture': 'amd64',
    'APT::Architectures': 'amd64',
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
    'Acquire::ForceHash': 'SHA256',
    'Acquire::Languages': 'none',
  };
  await writeFile(at('status'), '');
  await writeFile(at('sources.list'), source);
  await writeFile(
    at('apt.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  const environment = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return async (argv) => {
    const { exitCode, stdout, stderr } = await runCommand(['apt-get', ...argv], {
      env: { ...environment, LANG: 'C.UTF-8', APT_CONFIG: at('apt.conf') },
      timeoutMs: 600_000,
      maxOutputBytes: 16 * 1024 * 1024,
    });
    if (exitCode !== 0) throw new Error(stderr.toString().trim());
    return stdout.toString();
  };
}

/** `node lock-packages.ts FILE…` writes `packages` of each lock anew. */
if (import.meta.main) {
  for (const path of process.argv.slice(2)) {
    const lock = DebianLock.parse(JSON.parse(await readFile(path, 'utf8')));
    const made = await lockPackages(lock);
    const packages = made.packages.map((each) => `    ${JSON.stringify(each)}`).join(',\n');
    const { packages: _, ...rest } = made;
    await writeFile(
      path,
      `${JSON.stringify({ ...rest, packages: [] }, null, 2).replace('"packages": []', () => `"packages": [\n${packages}\n  ]`)}\n`,
    );
    process.stdout.write(`${path}: ${made.packages.length} packages\n`);
  }
}
