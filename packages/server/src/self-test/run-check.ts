import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runCommand } from '@assay/sandbox';
import { z } from 'zod';
import type { JobOutcome } from './job-outcome.ts';

const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/** Runs one script of the root package.json, as npm would. */
export async function runCheck(
  name: string,
  { root, signal }: { root: string; signal: AbortSignal },
): Promise<JobOutcome> {
  const { scripts } = Manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  const path = [join(root, 'node_modules/.bin'), join(process.execPath, '..'), process.env['PATH'] ?? ''].join(
    delimiter,
  );
  const env = { PATH: path, HOME: process.env['HOME'] ?? root, NO_COLOR: '1' };
  const { exitCode, stdout, stderr } = await runCommand(
    ['sh', '-c', scripts[name] ?? `echo "no script ${name}"; false`],
    { cwd: root, env, signal },
  );
  if (exitCode === 0) return { passed: 1, skipped: 0, failures: [] };
  return {
    passed: 0,
    skipped: 0,
    failures: [{ name, detail: Buffer.concat([stdout, stderr]).toString('utf8').trim() }],
  };
}
