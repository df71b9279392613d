import { AssayError } from '@assay/protocol/errors';
import type { CommandResult } from './command.ts';
import { describeError, type Failure } from './describe-error.ts';
import { interruptible } from './interruptible.ts';
import type { CommandLine } from './parse-command-line.ts';
import { createProgress } from './reporters/create-progress.ts';
import { harmlessJson } from './reporters/sanitise.ts';
import { describeTerminal } from './reporters/terminal.ts';
import { writeAnswer } from './write-answer.ts';

/**
 * Runs a command: progress and errors to standard error, the answer to standard output. Answers with the exit code,
 * never throws.
 */
export async function executeCommand({
  command,
  input,
  rest,
  json,
}: Extract<CommandLine, { kind: 'command' }>): Promise<number> {
  const unsealed = Array.isArray(input['unseal']) && input['unseal'].includes('terminal');
  const progress = createProgress(describeTerminal(process.stderr, process.env, unsealed), (text) =>
    process.stderr.write(text),
  );
  const interrupt = interruptible(() =>
    progress.onEvent({ type: 'note', item: '', text: 'interrupted; cleaning up (once more to stop at once)' }),
  );
  try {
    const result = await unlessStalled(
      command.run(input, { signal: interrupt.signal, onEvent: progress.onEvent, rest }),
      command.name,
    );
    progress.stop();
    if (interrupt.exitCode !== null && result.endsByInterrupt !== true) return interrupt.exitCode;
    const failed = await writeAnswer(textOf(result, json, unsealed));
    return interrupt.exitCode ?? failed ?? result.exitCode;
  } catch (error) {
    progress.stop();
    return await fail(describeError(error, interrupt.exitCode), json);
  } finally {
    interrupt.stop();
  }
}

/**
 * Node ends a process in silence when it waits for a promise that nothing left in it can settle. Here that is an error
 * like any other. Throws `STALLED`.
 */
async function unlessStalled<T>(work: Promise<T>, command: string): Promise<T> {
  const stalled = Promise.withResolvers<never>();
  const onEmpty = (): void => stalled.reject(new AssayError('STALLED', { command }));
  process.once('beforeExit', onEmpty);
  try {
    return await Promise.race([work, stalled.promise]);
  } finally {
    process.removeListener('beforeExit', onEmpty);
  }
}

function textOf(result: CommandResult, json: boolean, unsealed: boolean): string {
  if (json) return `${harmlessJson(result.document)}\n`;
  return result.render(describeTerminal(process.stdout, process.env, unsealed));
}

async function fail(failure: Failure, json: boolean): Promise<number> {
  process.stderr.write(`${failure.text}\n`);
  if (json) await writeAnswer(`${harmlessJson(failure.document)}\n`);
  return failure.exitCode;
}
