import { dirname } from 'node:path';

/** Name of the empty tree; git knows it even where it is not stored. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const SETTINGS = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.pager': 'cat',
  'core.quotePath': 'false',
  'core.commitGraph': 'false',
  'core.multiPackIndex': 'false',
  'credential.helper': '',
  'diff.external': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'submodule.recurse': 'false',
};

/** Arguments before the subcommand; they override every configuration file. */
export const GIT_SETTINGS: readonly string[] = Object.entries(SETTINGS).flatMap(([name, value]) => [
  '-c',
  `${name}=${value}`,
]);

/**
 * Returns the complete environment for git: no system or user configuration, no home, no prompts, no transports, no
 * lazy fetching, no replace refs. With `gitDirectory` null, git looks for no repository above `cwd`.
 */
export function gitEnvironment(gitDirectory: string | null, cwd: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    TZ: 'UTC',
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_LITERAL_PATHSPECS: '1',
    ...(gitDirectory === null
      ? { GIT_CEILING_DIRECTORIES: dirname(cwd) }
      : { GIT_DIR: gitDirectory, GIT_ATTR_SOURCE: EMPTY_TREE }),
  };
}
