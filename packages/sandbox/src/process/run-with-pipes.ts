import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { exactDescriptors } from './child-descriptors.ts';
import { hostEnvironment } from './host-environment.ts';
import { OutputCollector } from './output-collector.ts';
import { interrupted, startError, supervise, type ProcessEnd, type Supervision } from './supervise.ts';

export interface PipedRun extends Supervision {
  argv: string[];
  /** A descriptor. Stays open. */
  stdin: number;
  outputBytes: number;
  /** Inherited as 3, 4, 5… */
  fds: number[];
  /** Kills whatever may still hold the pipes open once the process has ended. */
  onEnd: () => void;
}

export interface PipedResult extends ProcessEnd {
  stdout: Buffer;
  stderr: Buffer;
  truncated: boolean;
}

/**
 * Runs a host process whose output goes to the named pipes `PREFIX.out` and `PREFIX.err`. Node's own pipes are sockets, and a command that
 * opens /dev/stdout or /dev/stderr again (shell scripts do) cannot open a socket.
 */
export async function runWithPipes(prefix: string, run: PipedRun): Promise<PipedResult> {
  const { inside, outputs } = openPipes(prefix);
  const collectors = outputs.map((output) => {
    const collector = new OutputCollector(run.outputBytes);
    output.on('data', (chunk: Buffer) => collector.add(chunk));
    return collector;
  });
  const drained = Promise.allSettled(outputs.map((output) => finished(output, { writable: false })));
  try {
    const end = await start(run, inside);
    run.onEnd();
    await drained;
    if (run.signal?.aborted) throw interrupted(run.signal);
    const [stdout = Buffer.alloc(0), stderr = Buffer.alloc(0)] = collectors.map((collector) => collector.bytes());
    return { stdout, stderr, truncated: collectors.some((collector) => collector.truncated), ...end };
  } finally {
    for (const output of outputs) output.destroy();
  }
}

async function start(run: PipedRun, inside: number[]): Promise<ProcessEnd> {
  const [command = '', ...rest] = run.argv;
  try {
    const child = spawn(command, rest, { stdio: exactDescriptors([run.stdin, ...inside, ...run.fds]), env: hostEnvironment(), cwd: '/', detached: true });
    for (const descriptor of inside.splice(0)) closeSync(descriptor);
    return await supervise(child, run);
  } catch (error) {
    throw startError(error, command);
  } finally {
    for (const descriptor of inside.splice(0)) closeSync(descriptor);
  }
}

/** `inside`: descriptors for the process, standard output and error. */
function openPipes(prefix: string): { inside: number[]; outputs: Socket[] } {
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  const inside: number[] = [];
  const outputs = [`${prefix}.out`, `${prefix}.err`].map((path) => {
    // Opening the end to write waits for a reader, so that comes first.
    const output = new Socket({ fd: openSync(path, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
    inside.push(openSync(path, O_WRONLY));
    return output;
  });
  return { inside, outputs };
}
