import type { TestCommand } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { halfOfChange } from '@assay/files/half-of-change';
import { readChannel } from '../read-channel.ts';
import { inVerifierBox, type BoxRequest } from '../verifier-box.ts';
import { makeControl, type OracleBox } from './run-tool.ts';
import { textsOf } from './source-texts.ts';

/** Tests that cannot pass, and which those are. */
export interface Control {
  tests: ChangeSet;
  ids: string[];
}

export interface ControlSource extends BoxRequest {
  command: TestCommand;
  reference: ChangeSet;
  hidden: ChangeSet;
}

/**
 * Makes the control of tests that are compared in the submission's process: the same files and ids, but every body ends in
 * a failure without a condition. Only ids count that fail with the reference, without it and with half of it, so that
 * nobody honest is accused. Null when none is left.
 */
export async function bakeControl(
  box: OracleBox,
  request: ControlSource,
  { ids, files }: { ids: readonly string[]; files: readonly string[] },
): Promise<Control | null> {
  if (ids.length === 0) return null;
  const made = await makeControl(box, {
    runner: request.command.runner,
    files: textsOf(request.hidden, (path) => files.includes(path)),
    ids: [...ids],
  });
  if (made.failing.length === 0) return null;
  const texts = new Map(made.files.map(({ path, text }) => [path, text]));
  const tests: ChangeSet = {
    files: request.hidden.files.map((file) => {
      const text = texts.get(file.path);
      return text === undefined ? file : { ...file, content: Buffer.from(text) };
    }),
    deleted: request.hidden.deleted,
  };
  const half = await halfOfChange(request.t0Directory, request.reference);
  const honest = [request.reference, { files: [], deleted: [] }, ...(half ? [half] : [])];
  const innocent = new Set(made.failing);
  for (const submission of honest)
    for (const id of await passedInControl(request, { tests, files, submission })) innocent.delete(id);
  return innocent.size === 0 ? null : { tests, ids: [...innocent].sort() };
}

export interface ControlRun {
  tests: ChangeSet;
  /** Test files to run. */
  files: readonly string[];
  submission: ChangeSet;
}

/** Runs the control over a submission, and returns the ids that were recorded as passed. */
export function passedInControl(
  request: BoxRequest & { command: TestCommand },
  { tests, files, submission }: ControlRun,
): Promise<string[]> {
  const run = { submission, tests, command: { ...request.command, files: [...files] } };
  return inVerifierBox(request, run, async ({ exec, nonce }) =>
    [...readChannel(exec.stdout, nonce).results.values()].flatMap(({ id, status }) =>
      status === 'passed' ? [id] : [],
    ),
  );
}
