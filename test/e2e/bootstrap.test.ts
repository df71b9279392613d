import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runCommand, type CommandResult } from '@assay/sandbox';

const SCRIPT = join(import.meta.dirname, '../../assay');
const MAIN = `console.log(JSON.stringify({ argv: process.argv.slice(2), node: process.version, execPath: process.execPath, cwd: process.cwd() }));
process.exitCode = Number(process.env['WANTED_EXIT'] ?? 0);
if (process.argv[2] === 'wait') setInterval(() => {}, 1000);`;
/** Everything that the script and npm call, so that a PATH can be made without the rest of the machine. */
const NEEDED = [
  'sh',
  'cmp',
  'cp',
  'flock',
  'id',
  'mkdir',
  'mv',
  'npm',
  'readlink',
  'rm',
  'sed',
  'head',
  'sha512sum',
  'tar',
  'gzip',
  'uname',
  'env',
  'grep',
];

const made: string[] = [];
after(() => Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true }))));

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'assay bootstrap '));
  made.push(directory);
  return directory;
}

/** A checkout that holds the script, a main that tells how it was called, and no dependencies. */
async function checkout(dependencies: Record<string, string> = {}): Promise<string> {
  const root = join(await temporaryDirectory(), 'a checkout');
  await mkdir(join(root, 'packages/server/src'), { recursive: true });
  await copyFile(SCRIPT, join(root, 'assay'));
  await writeFile(join(root, 'packages/server/src/main.ts'), MAIN);
  await writeFile(join(root, 'packages/server/package.json'), '{"name":"server","version":"1.0.0","type":"module"}');
  await writeLock(root, dependencies);
  return root;
}

async function writeLock(root: string, dependencies: Record<string, string>): Promise<void> {
  const manifest = { name: 'checkout', version: '1.0.0', workspaces: ['packages/*'], dependencies };
  const server = {
    'packages/server': { name: 'server', version: '1.0.0' },
    'node_modules/server': { resolved: 'packages/server', link: true },
  };
  const locked = Object.entries(dependencies).map(([name, version]) => [
    `node_modules/${name}`,
    { version, integrity: `sha512-${'A'.repeat(86)}==` },
  ]);
  await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    join(root, 'package-lock.json'),
    JSON.stringify({
      ...manifest,
      lockfileVersion: 3,
      requires: true,
      packages: { '': manifest, ...server, ...Object.fromEntries(locked) },
    }),
  );
}

async function which(name: string): Promise<string> {
  const { stdout } = await runCommand(['sh', '-c', 'command -v "$0"', name]);
  return stdout.toString('utf8').trim();
}

/** A directory of commands: the needed ones of this machine, this Node, and whatever `scripts` replace or add. */
async function commands(scripts: Record<string, string> = {}): Promise<string> {
  const directory = join(await temporaryDirectory(), 'bin');
  await mkdir(directory);
  for (const name of NEEDED) if (!(name in scripts)) await symlink(await which(name), join(directory, name));
  if (!('node' in scripts)) await symlink(process.execPath, join(directory, 'node'));
  for (const [name, body] of Object.entries(scripts)) {
    await writeFile(join(directory, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(directory, name), 0o755);
  }
  return directory;
}

interface Call {
  path?: string;
  cwd?: string;
  env?: Record<string, string>;
}

const plainPath = await commands();

function environment({ path = plainPath, env = {} }: Call): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !name.startsWith('ASSAY_'),
  );
  return { ...Object.fromEntries(inherited), PATH: path, ...env };
}

function call(argv: string[], options: Call = {}): Promise<CommandResult> {
  return runCommand(argv, { env: environment(options), cwd: options.cwd ?? tmpdir() });
}

function answer({ stdout, stderr, exitCode }: CommandResult): {
  argv: string[];
  node: string;
  execPath: string;
  cwd: string;
} {
  assert.equal(exitCode, 0, stderr.toString('utf8'));
  return JSON.parse(stdout.toString('utf8'));
}

const lines = (output: Buffer): string[] =>
  output
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');

describe('where it is called from', () => {
  test('any directory, through links, with blanks in the path and any arguments', async () => {
    const root = await checkout();
    const elsewhere = await temporaryDirectory();
    await symlink(join(root, 'assay'), join(elsewhere, 'direct link'));
    await symlink('direct link', join(elsewhere, 'assay'));
    const words = ['anything', 'two words', '', '--x=*', '$HOME', "it's"];
    const calls: Array<[string[], Call]> = [
      [[join(root, 'assay')], {}],
      [['./assay'], { cwd: root }],
      [['sh', 'assay'], { cwd: root }],
      [['../a checkout/assay'], { cwd: join(root) }],
      [[join(elsewhere, 'assay')], {}],
      [['assay'], { path: `${elsewhere}:${plainPath}` }],
    ];
    await call([join(root, 'assay')]);
    for (const [argv, options] of calls) {
      const { argv: seen, cwd } = answer(
        await call([...argv, ...words], { ...options, env: { ASSAY_NO_INSTALL: '1' } }),
      );
      assert.deepEqual(seen, words);
      assert.equal(cwd, options.cwd ?? tmpdir());
    }
  });

  test('the exit code is that of the program', async () => {
    const root = await checkout();
    const { exitCode } = await call([join(root, 'assay')], { env: { WANTED_EXIT: '3' } });
    assert.equal(exitCode, 3);
  });

  test('signals reach the program', async () => {
    const root = await checkout();
    await call([join(root, 'assay')]);
    const child = spawn(join(root, 'assay'), ['wait'], { env: environment({}), stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGTERM');
  });
});

describe('setting up', () => {
  test('is told in one line, done once, and healed when half done', async () => {
    const root = await checkout();
    const assay = [join(root, 'assay')];
    const first = await call(assay);
    answer(first);
    assert.deepEqual(lines(first.stderr), ["assay: installing the project's packages (npm ci)"]);
    assert.deepEqual(lines((await call(assay)).stderr), []);

    await rm(join(root, 'node_modules/.package-lock.json'));
    await writeFile(join(root, 'node_modules/left-over'), '');
    assert.equal(lines((await call(assay)).stderr).length, 1);
    assert.ok(!(await readdir(join(root, 'node_modules'))).includes('left-over'));

    const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
    await writeFile(join(root, 'package-lock.json'), `${lock}\n`);
    const later = new Date(Date.now() + 5000);
    await utimes(join(root, 'package-lock.json'), later, later);
    assert.equal(lines((await call(assay)).stderr).length, 1);
    assert.deepEqual(lines((await call(assay)).stderr), []);
  });

  test("a developer's own npm install is left alone", async () => {
    const root = await checkout();
    answer(await call([join(root, 'assay')]));
    await writeFile(join(root, 'package-lock.json'), `${await readFile(join(root, 'package-lock.json'), 'utf8')}\n`);
    const later = new Date(Date.now() + 5000);
    await utimes(join(root, 'node_modules/.package-lock.json'), later, later);
    assert.deepEqual(lines((await call([join(root, 'assay')])).stderr), []);
  });

  test('two at once do it once', async () => {
    const root = await checkout();
    const results = await Promise.all([1, 2, 3].map(() => call([join(root, 'assay')])));
    results.forEach(answer);
    const told = results.flatMap(({ stderr }) => lines(stderr));
    assert.equal(told.filter((line) => line.includes('npm ci')).length, 1, told.join('\n'));
  });

  test('without a network it says so and exits 5; with one it goes on', async () => {
    const root = await checkout({ 'no-such-package-of-assay': '1.0.0' });
    const env = {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_cache: await temporaryDirectory(),
      npm_config_fetch_retries: '0',
    };
    const result = await call([join(root, 'assay'), '--help'], { env });
    assert.equal(result.exitCode, 5);
    assert.equal(result.stdout.length, 0);
    assert.match(
      lines(result.stderr).at(-1) ?? '',
      /^assay: cannot install the project's packages \(ECONNREFUSED\)\. Is the network up/,
    );
    await writeLock(root, {});
    answer(await call([join(root, 'assay')]));
  });

  test('nothing is fetched against ASSAY_NO_INSTALL', async () => {
    const root = await checkout();
    const result = await call([join(root, 'assay')], { env: { ASSAY_NO_INSTALL: '1' } });
    assert.equal(result.exitCode, 5);
    assert.match(result.stderr.toString('utf8'), /^assay: node_modules is missing, and ASSAY_NO_INSTALL=1 forbids/);
  });
});

/** A Node that says it is old. */
const OLD_NODE = `[ "$1" = --version ] && echo v20.20.2 && exit\nexec '${process.execPath}' "$@"`;

describe('on a machine with an old Node', () => {
  test('a newer one is fetched from npm, checked and used', async () => {
    const root = await checkout();
    const path = await commands({ node: OLD_NODE });
    await mkdir(join(root, '.assay/node.new'), { recursive: true });
    await mkdir(join(root, '.assay/node/bin'), { recursive: true });
    const first = await call([join(root, 'assay')], { path });
    const { node, execPath } = answer(first);
    assert.equal(execPath, join(root, '.assay/node/bin/node'));
    assert.match(node, /^v24\./);
    assert.match(
      lines(first.stderr)[0] ?? '',
      /^assay: fetching Node 24\.\S+ \(npm package node-linux-\w+\), as this machine has v20\.20\.2$/,
    );
    assert.ok(!(await readdir(join(root, '.assay'))).includes('node.new'));
    assert.deepEqual(lines((await call([join(root, 'assay')], { path })).stderr), []);
  });

  test('a package that is not the one expected is refused', async () => {
    const root = await checkout();
    const npm = `[ "$1" = pack ] || exit 1\nfor spec; do :; done\nname=\${spec%@*}\necho evil >"$name-\${spec##*@}.tgz"`;
    const result = await call([join(root, 'assay')], { path: await commands({ node: OLD_NODE, npm }) });
    assert.equal(result.exitCode, 5);
    assert.match(result.stderr.toString('utf8'), /is not the file it should be \(sha512 differs\)/);
    assert.ok(!(await readdir(join(root, '.assay'))).includes('node'));
  });

  test('without a network it says so and exits 5', async () => {
    const root = await checkout();
    const env = {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_cache: await temporaryDirectory(),
      npm_config_fetch_retries: '0',
    };
    const result = await call([join(root, 'assay')], { path: await commands({ node: OLD_NODE }), env });
    assert.equal(result.exitCode, 5);
    assert.match(
      lines(result.stderr).at(-1) ?? '',
      /^assay: cannot fetch node-linux-\w+ from the npm registry \(ECONNREFUSED\)/,
    );
  });
});

/**
 * An apt that knows all packages but runsc, installs them as empty commands into `$BIN`, and writes down what it was
 * asked.
 */
const APT = {
  'apt-get': `echo "$*" >>"$BIN/asked"\ncase "$*" in *install*) for tool in bwrap runc git xz bzip2 unshare perl python3 pip3; do printf '#!/bin/sh\\n' >"$BIN/$tool"; chmod 755 "$BIN/$tool"; done ;; esac`,
  'apt-cache': `for name; do :; done\n[ "$name" = runsc ] && exit\nprintf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n' "$name"`,
  chmod: `exec ${await which('chmod')} "$@"`,
};

/** The script looks into /usr/sbin by itself, where this machine may have runc. */
const withoutRunc = (line: string): string => line.replace(' runc', '');

describe('commands that need a sandbox, on a machine without one', () => {
  test('as root with apt: it is installed, in one line, and what apt lacks is asked for once', async () => {
    const root = await checkout();
    const path = await commands({ ...APT, id: 'echo 0' });
    answer(await call([join(root, 'assay')], { path }));
    const first = await call([join(root, 'assay'), 'demo'], { path, env: { BIN: path } });
    answer(first);
    const [installing = '', lacking] = lines(first.stderr).map(withoutRunc);
    assert.equal(
      installing,
      'assay: installing system tools with apt: bubblewrap runsc git xz-utils bzip2 util-linux perl-base python3 python3-pip',
    );
    assert.equal(lacking, 'assay: apt does not know runsc; going on without');
    const asked = await readFile(join(path, 'asked'), 'utf8');
    assert.match(
      withoutRunc(asked),
      /install --no-install-recommends bubblewrap git xz-utils bzip2 util-linux perl-base python3 python3-pip\n/,
    );
    assert.deepEqual(lines((await call([join(root, 'assay'), 'demo'], { path, env: { BIN: path } })).stderr), []);
    assert.equal(await readFile(join(path, 'asked'), 'utf8'), asked);
  });

  test('without root: the one command to run, and exit 5', async () => {
    const root = await checkout();
    const path = await commands({ ...APT, id: 'echo 1000' });
    answer(await call([join(root, 'assay')], { path }));
    for (const command of ['demo', 'mine', 'validate', 'run', 'grade', 'cheats']) {
      const result = await call([join(root, 'assay'), command], { path, env: { BIN: path } });
      assert.equal(result.exitCode, 5);
      assert.deepEqual(lines(result.stderr).map(withoutRunc), [
        'assay: this machine has no sandbox. Run: sudo apt-get install -y bubblewrap runsc git xz-utils bzip2 util-linux perl-base python3 python3-pip',
      ]);
    }
    await assert.rejects(readFile(join(path, 'asked')));
    const { stderr } = await call([join(root, 'assay'), 'test'], { path, env: { BIN: path } });
    assert.match(
      stderr.toString('utf8'),
      /python3-pip gcc .*zip python3-venv( imagemagick)?\n$/,
      'what only root can use is not named',
    );
  });

  test('without apt: what to install, and exit 5', async () => {
    const root = await checkout();
    const result = await call([join(root, 'assay'), 'demo'], { path: await commands({ id: 'echo 1000' }) });
    assert.equal(result.exitCode, 5);
    assert.equal(
      lines(result.stderr).at(-1),
      'assay: this machine has no sandbox. Install bubblewrap with its package manager',
    );
  });

  test('help needs none, and doctor goes on to say what is missing', async () => {
    const root = await checkout();
    const path = await commands({ id: 'echo 1000' });
    for (const words of [['demo', '--help'], ['run', 'x', '-h'], ['help', 'run'], ['doctor'], ['unknown']])
      answer(await call([join(root, 'assay'), ...words], { path }));
    const result = await call([join(root, 'assay'), 'run', 'x', '--', '--help'], { path });
    assert.equal(result.exitCode, 5);
  });
});

test('the script is one that every POSIX shell reads', async () => {
  const { exitCode, stderr } = await runCommand(['sh', '-n', SCRIPT]);
  assert.equal(exitCode, 0, stderr.toString('utf8'));
  assert.equal(dirname(SCRIPT), join(import.meta.dirname, '../..'));
});
