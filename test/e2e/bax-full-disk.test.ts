/** A disk that is full is no fault of the network, of the answer, or of Assay. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { inheritedEnvironment, MAIN } from './assay-process.ts';

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), 'assay-full-disk-'))));
after(() => rm(directory, { recursive: true, force: true }));

/** A disk of 2 MiB is at `place` for this process alone, as long as it runs. */
const MOUNTED = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o size=2m none "$0" && exec "$@"'];

const app = join(import.meta.dirname, '../../packages/bax/apps/frameworks/python-flask');
for (const [name, place, words] of [
  ['the cache', 'cache', ['bax', 'grade', '--scenario', 'Calculator', '--framework', 'Python-Flask', '--code', app]],
  ['that of the output', 'out', ['bax', 'export', '--out', '../full/rows.jsonl']],
] as const) {
  test(
    `a full disk is told, and where: ${name}`,
    { skip: process.getuid?.() !== 0 && 'mounting needs root', timeout: 120_000 },
    async () => {
      const mounted = await mkdtemp(join(directory, `${place}-`));
      const line = words.map((word) => word.replace('../full', mounted));
      const environment = inheritedEnvironment(place === 'cache' ? { ASSAY_CACHE: mounted } : {});
      const { exitCode, stdout, stderr } = await runCommand([...MOUNTED, mounted, process.execPath, MAIN, ...line], {
        cwd: directory,
        env: environment,
        timeoutMs: 100_000,
      });
      assert.deepEqual([exitCode, stdout.toString()], [5, ''], stderr.toString());
      const [last = ''] = stderr.toString().trimEnd().split('\n').slice(-1);
      assert.ok(last.startsWith(`error: no room is left on the disk of ${mounted}/`), last);
    },
  );
}
