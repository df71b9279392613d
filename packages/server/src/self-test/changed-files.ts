import { runCommand } from '@assay/sandbox';

/**
 * Paths from the root of the checkout that differ from where its branch left `main` (on `main` itself: from HEAD),
 * committed or not, deleted and untracked ones included. `null` when git cannot say.
 */
export async function changedFiles(root: string, signal?: AbortSignal): Promise<string[] | null> {
  const git = async (...words: string[]): Promise<string[] | null> => {
    try {
      const { exitCode, stdout } = await runCommand(['git', ...words], { cwd: root, signal });
      return exitCode === 0 ? stdout.toString('utf8').split('\0').filter(Boolean) : null;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Error && 'code' in error && error.code === 'COMMAND_NOT_FOUND') return null;
      throw error;
    }
  };
  const mergeBase = async (): Promise<string> => {
    for (const main of ['main', 'origin/main']) {
      const base = (await git('merge-base', 'HEAD', main))?.[0]?.trim();
      if (base) return base;
    }
    return 'HEAD';
  };
  const tracked = await git('diff', '--name-only', '--no-renames', '--relative', '-z', await mergeBase());
  const untracked = await git('ls-files', '--others', '--exclude-standard', '-z');
  return tracked && untracked && [...new Set([...tracked, ...untracked])].sort();
}
