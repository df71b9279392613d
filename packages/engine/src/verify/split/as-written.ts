import type { TestCommand } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { composeChange } from '../compose-verifier-tree.ts';
import { readChannel, type ChannelReport } from '../read-channel.ts';
import { inVerifierBox, type BoxRequest } from '../verifier-box.ts';

/** A run of tests as they were written that has been: over which change of T0, of which files, and what it told. */
export interface SeenRun {
  /** `digestChange` of the change that the tree showed. */
  tree: string;
  files: readonly string[];
  report: ChannelReport;
}

export interface AsWrittenRequest extends Omit<BoxRequest, 'unsealed'> {
  command: TestCommand;
  reference: ChangeSet;
  hidden: ChangeSet;
  /** Runs in this very environment; one with the same files in the same tree is not repeated. */
  seen?: readonly SeenRun[];
}

/** Runs some files with the reference: their tests, in order. */
export async function runAsWritten(request: AsWrittenRequest, files: readonly string[]): Promise<ChannelReport> {
  const { reference, hidden, command, task, seen = [] } = request;
  const tree = digestChange(
    composeChange({ submission: reference, hidden, steering: task.meta.steering, hiddenWins: true }),
  );
  const wanted = JSON.stringify([...files].sort());
  const known = seen.find((run) => run.tree === tree && JSON.stringify([...run.files].sort()) === wanted);
  if (known) return known.report;
  const run = { submission: reference, tests: hidden, command: { ...command, files: [...files] } };
  return inVerifierBox({ ...request, unsealed: new Set() }, run, async ({ exec, nonce }) =>
    readChannel(exec.stdout, nonce),
  );
}
