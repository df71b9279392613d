/**
 * Installs through a warm package lane beside the same installs from the registries that this machine is configured
 * for, in turns, each with an empty cache of its own. The lane shows everything up to now, so that both install the
 * same; that they do is checked.
 *
 *     node bench/mirror.ts [--rounds 5] [--json]
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openPackageMirror } from '@assay/lanes/package-lane/package-mirror';
import { runCommand } from '@assay/sandbox';

const NPM_MANIFEST = JSON.stringify({
  name: 'bench',
  version: '1.0.0',
  dependencies: { express: '^4.0.0', eslint: '^9.0.0', typescript: '^5.0.0', mocha: '^11.0.0' },
});
const PYTHON_PROJECTS = ['flask', 'requests', 'pytest', 'numpy'];

interface Client {
  argv: string[];
  files: Record<string, string>;
  through: Record<string, string>;
  /** Describes what was installed, so that results can be compared. */
  result: (directory: string) => Promise<string>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
  });
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-mirror-'));
  const mirror = await openPackageMirror({
    cutoff: new Date(),
    exclude: [],
    port: 0,
    cacheDirectory: join(directory, 'cache'),
  });
  try {
    const clients: Record<string, Client> = {
      npm: {
        argv: [
          'npm',
          'install',
          '--ignore-scripts',
          '--no-audit',
          '--no-fund',
          '--no-update-notifier',
          '--cache',
          'cache',
        ],
        files: { 'package.json': NPM_MANIFEST },
        through: { npm_config_registry: mirror.indexes['npm']?.address ?? '' },
        result: async (at) =>
          [...(await readFile(join(at, 'package-lock.json'), 'utf8')).matchAll(/"integrity": "(.*)"/g)]
            .map(([, integrity]) => integrity)
            .join(' '),
      },
      pip: {
        argv: [
          'python3',
          '-m',
          'pip',
          'download',
          '--no-cache-dir',
          '--disable-pip-version-check',
          '--only-binary',
          ':all:',
          '-d',
          'out',
          ...PYTHON_PROJECTS,
        ],
        files: {},
        through: { PIP_CONFIG_FILE: '/dev/null', PIP_INDEX_URL: mirror.indexes['pypi']?.address ?? '' },
        result: async (at) => (await readdir(join(at, 'out'))).sort().join(' '),
      },
    };
    const report: Record<string, unknown> = {};
    for (const [name, client] of Object.entries(clients))
      report[name] = await compare(client, directory, Number(values.rounds));
    console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
  } finally {
    await mirror.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function compare(client: Client, directory: string, rounds: number): Promise<object> {
  // Once each before it counts: the lane fetches what it does not have, and so may the registry.
  const cold = await install(client, directory, true);
  await install(client, directory, false);
  const [direct, lane]: [number[], number[]] = [[], []];
  const results = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    for (const through of round % 2 === 0 ? [false, true] : [true, false]) {
      const { elapsedMs, result } = await install(client, directory, through);
      (through ? lane : direct).push(elapsedMs);
      results.add(createHash('sha256').update(result).digest('hex'));
    }
  }
  const ratio = median(lane) / median(direct);
  return {
    rounds,
    directMs: median(direct),
    laneMs: median(lane),
    ratio: Math.round(ratio * 100) / 100,
    coldLaneMs: cold.elapsedMs,
    sameResult: results.size === 1,
    bars: { noSlower: ratio <= 1 },
  };
}

async function install(
  { argv, files, through, result }: Client,
  directory: string,
  useLane: boolean,
): Promise<{ elapsedMs: number; result: string }> {
  const cwd = await mkdtemp(join(directory, 'install-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    const env = Object.fromEntries(
      Object.entries({ ...process.env, PIP_FIND_LINKS: '', ...(useLane ? through : {}) }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const { exitCode, stderr, durationMs } = await runCommand(argv, { cwd, env, timeoutMs: 600_000 });
    if (exitCode !== 0) throw new Error(`${argv.join(' ')}: ${stderr.toString().slice(-2000)}`);
    return { elapsedMs: Math.round(durationMs), result: await result(cwd) };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await main();
