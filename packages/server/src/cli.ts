import { withLoadedOptions } from './command.ts';
import { COMMANDS, GROUPS } from './commands/index.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { harmlessText } from '@assay/protocol/harmless-text';
import { harmlessJson } from './reporters/sanitise.ts';
import { version } from './version.ts';
import { writeAnswer } from './write-answer.ts';

/** Runs one command line to its end and leaves the process with the command's exit code. */
export async function runCli(words: string[]): Promise<void> {
  // Who writes learns of it: `writeAnswer`, and `interruptible` for standard error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const exitCode = await answer(words);
  await drained(process.stderr);
  process.exit(exitCode);
}

async function answer(words: string[]): Promise<number> {
  const columns = Math.min((process.stdout.isTTY ? process.stdout.columns : 0) || 80, 100);
  const commands = await Promise.all(
    COMMANDS.map(async (command) => (words.includes(command.name) ? withLoadedOptions(command) : command)),
  );
  const line = parseCommandLine(words, { commands, groups: GROUPS, version, columns });
  if (line.kind === 'answered') {
    process.stderr.write(harmlessText(line.error));
    const refused = line.exitCode !== 0 && words.includes('--json');
    const error = { code: 'BAD_USE', kind: 'user', message: line.error.trim() };
    const failed = await writeAnswer(refused ? `${line.output}${harmlessJson({ error })}\n` : line.output);
    return line.exitCode || (failed ?? 0);
  }
  const { executeCommand } = await import('./execute-command.ts');
  return executeCommand(line);
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}
