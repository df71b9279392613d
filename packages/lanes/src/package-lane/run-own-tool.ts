import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';

/**
 * Runs a package manager of this machine and returns its output, or null when it is missing or fails. It runs outside
 * any repository: an `.npmrc` or a module in the current directory must not steer where packages come from.
 */
export async function runOwnTool(argv: string[], environment: NodeJS.ProcessEnv): Promise<string | null> {
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  try {
    const result = await runCommand(argv, { cwd: '/', env, timeoutMs: 60_000 });
    return result.exitCode === 0 ? result.stdout.toString() : null;
  } catch (error) {
    if (AssayError.is(error) && error.code === 'COMMAND_NOT_FOUND') return null;
    throw error;
  }
}
