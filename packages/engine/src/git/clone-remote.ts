import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { ALLOWED_PROTOCOLS, printable, redact } from './source-location.ts';

/** Variables of the user's environment that a clone needs to reach its remote. */
const PASSED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_CONFIG_GLOBAL',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
];

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'protocol.allow=never',
  'protocol.ext.allow=never',
  'protocol.file.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'transfer.bundleURI=false',
  'transfer.credentialsInUrl=allow',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.askPass=',
  ...ALLOWED_PROTOCOLS.split(':').map((name) => `protocol.${name}.allow=always`),
];

/**
 * Makes a bare clone of a URL that `locateSource` accepted, in a new directory below `directory`, and returns its path.
 * Only here does the user's own git configuration apply, because it knows credentials and proxies. Throws
 * `REPOSITORY_UNREACHABLE`, with no credentials in the message.
 */
export async function cloneRemote(url: string, directory: string, signal?: AbortSignal): Promise<string> {
  const target = join(directory, 'clone.git');
  const argv = [
    'git',
    ...SETTINGS.flatMap((setting) => ['-c', setting]),
    'clone',
    '--quiet',
    '--bare',
    '--no-local',
    '--no-recurse-submodules',
    '--template=',
    '--',
    url,
    target,
  ];
  const result = await runCommand(argv, { cwd: directory, env: cloneEnvironment(directory), signal });
  if (result.exitCode === 0) return target;
  const lines = result.stderr
    .toString('utf8')
    .split('\n')
    .map((line) => printable(redact(line)))
    .filter((line) => line !== '');
  const detail =
    lines.find((line) => line.startsWith('fatal:')) ??
    lines.at(-1) ??
    `git ended with ${result.signal ?? result.exitCode}`;
  throw new AssayError('REPOSITORY_UNREACHABLE', { url: printable(redact(url)), detail });
}

function cloneEnvironment(directory: string): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return {
    ...environment,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: ALLOWED_PROTOCOLS,
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_CEILING_DIRECTORIES: directory,
  };
}
