import { availableParallelism, totalmem } from 'node:os';
import { ECOSYSTEMS } from '@assay/engine/ecosystems/index';
import type { Machine } from '@assay/protocol';
import { detectProviders, runCommand } from '@assay/sandbox';
import { version } from './version.ts';

const TOOLS = [
  { name: 'git', neededFor: 'mining', debianPackage: 'git' },
  { name: 'perl', neededFor: 'running agents, grading backends', debianPackage: 'perl-base' },
  { name: 'xz', neededFor: 'looking into archives', debianPackage: 'xz-utils' },
  { name: 'bzip2', neededFor: 'looking into archives', debianPackage: 'bzip2' },
];

/** Examines this machine. Starts a sandbox of each provider to see whether it works. */
export async function examineMachine(signal: AbortSignal): Promise<Machine> {
  return {
    assay: version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    root: process.getuid?.() === 0,
    providers: await detectProviders(),
    tools: await Promise.all(
      [...TOOLS, ...ECOSYSTEMS.flatMap(({ tools }) => tools)].map(async (tool) => ({
        ...tool,
        version: await toolVersion(tool.name, signal),
      })),
    ),
  };
}

async function toolVersion(name: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { stdout, stderr, exitCode } = await runCommand([name, '--version'], { signal, timeoutMs: 20_000 });
    const [first = ''] = (stdout.length > 0 ? stdout : stderr).toString('utf8').trim().split('\n');
    return exitCode === 0 ? first.trim() : null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
