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
  stdin: string | Uint8Array;
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
 * Runs a host process whose standard streams are the named pipes `PREFIX.in`, `.out` and `.err`. Node's own pipes are sockets, and
 * a command that opens /dev/stdout or /dev/stderr again (shell scripts do) cannot open a socket.
 */
export async function runWithPipes(prefix: string, run: PipedRun): Promise<PipedResult> {
  const { inside, stdin, outputs } = openPipes(prefix);
  const collectors = outputs.map((output) => {
    const collector = new OutputCollector(run.outputBytes);
    output.on('data', (chunk: Buffer) => collector.add(chunk));
    return collector;
  });
  const drained = Promise.allSettled(outputs.map((output) => finished(output, { writable: false })));
  stdin.on('error', () => {});
  try {
    const end = await start(run, inside, () => stdin.end(run.stdin));
    run.onEnd();
    await drained;
    if (run.signal?.aborted) throw interrupted(run.signal);
    const [stdout = Buffer.alloc(0), stderr = Buffer.alloc(0)] = collectors.map((collector) => collector.bytes());
    return { stdout, stderr, truncated: collectors.some((collector) => collector.truncated), ...end };
  } finally {
    for (const stream of [stdin, ...outputs]) stream.destroy();
  }
}

async function start(run: PipedRun, inside: number[], connected: () => void): Promise<ProcessEnd> {
  const [command = '', ...rest] = run.argv;
  try {
    const child = spawn(command, rest, { stdio: exactDescriptors([...inside, ...run.fds]), env: hostEnvironment(), cwd: '/', detached: true });
    for (const descriptor of inside.splice(0)) closeSync(descriptor);
    connected();
    return await supervise(child, run);
  } catch (error) {
    throw startError(error, command);
  } finally {
    for (const descriptor of inside.splice(0)) closeSync(descriptor);
  }
}

interface OpenPipes {
  /** Descriptors for the process: standard input, output, error. */
  inside: number[];
  stdin: Socket;
  outputs: Socket[];
}

function openPipes(prefix: string): OpenPipes {
  const { O_RDONLY, O_RDWR, O_WRONLY, O_NONBLOCK } = constants;
  const input = `${prefix}.in`;
  // Opening one end waits for the other, except for both at once.
  const both = openSync(input, O_RDWR);
  const inside = [openSync(input, O_RDONLY)];
  const stdin = new Socket({ fd: openSync(input, O_WRONLY | O_NONBLOCK), readable: false, writable: true });
  closeSync(both);
  const outputs = [`${prefix}.out`, `${prefix}.err`].map((path) => {
    const output = new Socket({ fd: openSync(path, O_RDONLY | O_NONBLOCK), readable: true, writable: false });
    inside.push(openSync(path, O_WRONLY));
    return output;
  });
  return { inside, stdin, outputs };
}
