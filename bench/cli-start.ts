/**
 * How long `assay --help` takes from the shell's call to its end, against Node doing nothing. Bar: under 150 ms.
 *
 *     node bench/cli-start.ts [RUNS]
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BAR_MS = 150;
const ASSAY = join(import.meta.dirname, '../assay');
const runs = Number(process.argv[2] ?? 21);

function medianMs(argv: readonly [string, ...string[]]): number {
  const [command, ...rest] = argv;
  const times = Array.from({ length: runs }, () => {
    const startedAt = performance.now();
    const { status } = spawnSync(command, rest, { stdio: 'ignore' });
    if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
    return performance.now() - startedAt;
  }).toSorted((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
}

// The first call may set up, and fills the compile cache.
spawnSync(ASSAY, ['--help'], { stdio: 'ignore' });
const help = medianMs([ASSAY, '--help']);
const node = medianMs([process.execPath, '-e', '0']);
console.log(
  `assay --help  ${help.toFixed(0)} ms (median of ${runs}; bar ${BAR_MS} ms: ${help < BAR_MS ? 'kept' : 'MISSED'})`,
);
console.log(`node -e 0     ${node.toFixed(0)} ms`);
console.log(`ratio         ${(help / node).toFixed(2)}`);
