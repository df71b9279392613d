import { randomBytes } from 'node:crypto';
import type { TestCommand } from '@assay/protocol';
import type { ExecResult, SandboxProvider } from '@assay/sandbox';
import { ecosystemOf } from '../ecosystems/index.ts';
import type { PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { composeTree } from './compose-verifier-tree.ts';
import { readChannel, type ChannelReport } from './read-channel.ts';

export interface SuiteRequest {
  command: TestCommand;
  /** The change against T0 that the tree shall show. */
  change: ChangeSet;
  t0Directory: string;
  environment: PreparedEnvironment;
  provider: SandboxProvider;
  signal?: AbortSignal;
  /** Ids of the tests to run, where the runner can be asked for single ones; else and absent: all of the files. */
  only?: readonly string[] | undefined;
}

export interface SuiteRun {
  report: ChannelReport;
  exec: ExecResult;
}

/**
 * Runs tests on T0 with a change, in a new sandbox without network, and tells what every test did; it judges nothing.
 */
export async function runSuite({
  command,
  change,
  t0Directory,
  environment,
  provider,
  signal,
  only,
}: SuiteRequest): Promise<SuiteRun> {
  const nonce = randomBytes(16).toString('hex');
  const launch = ecosystemOf(command.ecosystem).launch({ command, environment, nonce, only });
  const tree = await composeTree(change, t0Directory);
  try {
    const sandbox = await provider.create({
      mounts: [
        { kind: 'layers', sources: tree.layers, target: '/workspace', deleted: tree.deleted },
        ...environment.mounts({ writable: false }),
        ...launch.mounts,
      ],
      env: environment.env,
      cwd: '/workspace',
    });
    try {
      const exec = await sandbox.exec('', {
        argv: launch.argv,
        stdin: launch.stdin,
        env: launch.env,
        cwd: '/workspace',
        timeout: command.timeoutSec * 1000,
        signal,
      });
      signal?.throwIfAborted();
      return { report: readChannel(exec.stdout, nonce), exec };
    } finally {
      await sandbox.destroy();
    }
  } finally {
    await tree.dispose();
  }
}
