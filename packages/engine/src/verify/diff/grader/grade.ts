/**
 * Compares a submission with the reference, as root in Harbor's verifier container; what parses the submission runs as
 * another user. Compiled into `tests/grader/grade.mjs`; test.sh has already written reward 0.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { collectChange, readManifest } from '@assay/files/tree-manifest';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import type { ChangeSet } from '@assay/files/change-set';
import { PROSE } from '../../../ecosystems/prose.ts';
import { compareChanges, type ReadTokens } from '../compare-changes.ts';
import { scoreByProfile } from '../score-by-profile.ts';
import type { DiffContract } from '../../../bundle/diff/diff-contract.ts';

const TESTS = '/tests';
const T0 = '/tests/t0';
const WORKSPACE = '/workspace';
const LOGS = '/logs/verifier';
/** Of the image, and so not to be compiled in. */
const CLASSIFY: string = '/opt/compare/classify.mjs';
const USER = 10_001;
const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES = 256 * 1024 * 1024;

async function main(): Promise<void> {
  const contract = JSON.parse(readFileSync(join(TESTS, 'contract.json'), 'utf8')) as DiffContract;
  const { classify } = (await import(CLASSIFY)) as { classify: (path: string) => 'source' | 'test' | 'other' };
  const steering = contract.steering.map((source) => new RegExp(`^(?:${source})$`, 's'));
  const code = new RegExp(contract.code);
  const { manifest, skipped } = await readManifest(T0, { ignore: ['.git'] });
  const skippedAtT0 = new Set(skipped.map(({ path }) => path));
  const { change: submission } = await collectChange(WORKSPACE, manifest, { skippedAtT0 });
  const reference = readReference(join(TESTS, 'reference'));
  const before = (path: string): Buffer | null => readRegularFileBelow(T0, path);
  const comparison = await compareChanges({
    reference,
    submission,
    before,
    counts: (path) => {
      const kind = classify(path);
      return (
        kind !== 'test' && !steering.some((steers) => steers.test(path)) && (kind === 'source' || !PROSE.test(path))
      );
    },
    isCode: (path) => code.test(path),
    readTokens: readerOf(contract.command),
  });
  const { reward, components } = scoreByProfile(contract.profile, { comparison, reference, submission, before }, null);
  writeReward(reward, { components, broken: comparison.broken });
}

function readReference(directory: string): ChangeSet {
  const read = (name: string): string[] => JSON.parse(readFileSync(join(directory, name), 'utf8')) as string[];
  const executable = new Set(read('executable.json'));
  const root = join(directory, 'files');
  const entries = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : [];
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return {
    deleted: read('deleted.json'),
    files: paths.map((path) => ({ path, content: readFileSync(join(root, path)), executable: executable.has(path) })),
  };
}

const readerOf =
  ([program = '', ...args]: string[]): ReadTokens =>
  async (sources) => {
    const { stdout, status } = spawnSync(program, args, {
      input: JSON.stringify({ sources }),
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      uid: USER,
      gid: USER,
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: OUTPUT_BYTES,
    });
    if (status !== 0) return sources.map(() => null);
    return JSON.parse(stdout.toString('utf8')) as (string[] | null)[];
  };

function writeReward(reward: number, details: object): void {
  for (const [name, value] of [
    ['details.json', details],
    ['reward.json', { reward }],
  ] as const) {
    const draft = join(LOGS, `.${name}`);
    writeFileSync(draft, JSON.stringify(value, null, 1));
    renameSync(draft, join(LOGS, name));
  }
  process.stdout.write(`${JSON.stringify({ reward, ...details }, null, 1)}\n`);
}

await main();
process.exit(0);
