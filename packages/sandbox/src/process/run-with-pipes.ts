import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { exactDescriptors } from './child-descriptors.ts';
import { hostEnvironment } from './host-environment.ts';
import { OutputCollector } from './output-collector.ts';
import { interrupted, startError, supervise, type ProcessEnd, type Supervision } from './supervise.ts';

export interface PipedRun extends Supervision {
  argv: string[];
  /** A descriptor, which stays open, or pieces to be written as they come to the named pipe `PREFIX.in`. */
  stdin: number | AsyncIterable<string | Uint8Array>;
  /** Called with what is collected, as it comes. */
  onStdout?: ((text: string) => void) | undefined;
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
 * Runs a host process whose output goes to the named pipes `PREFIX.out` and `PREFIX.err`. Node's own pipes are sockets,
 * and a command that opens /dev/stdout or /dev/stderr again (shell scripts do) cannot open a socket.
 */
export async function runWithPipes(prefix: string, run: PipedRun): Promise<PipedResult> {
  const { inside, outputs } = openPipes(prefix);
  const collectors = outputs.map((output) => {
    const collector = new OutputCollector(run.outputBytes);
    output.on('data', (chunk: Buffer) => collector.add(chunk));
    return collector;
  });
  const [stdout] = outputs;
  if (stdout && run.onStdout) relayText(stdout, run.outputBytes, run.onStdout);
  const drained = Promise.allSettled(outputs.map((output) => finished(output, { writable: false })));
  const input =
    typeof run.stdin === 'number'
      ? { descriptor: run.stdin, stop: () => undefined }
      : feed(`${prefix}.in`, run.stdin, inside);
  try {
    const end = await start(run, input.descriptor, inside).finally(input.stop);
    run.onEnd();
    await drained;
    if (run.signal?.aborted) throw interrupted(run.signal);
    const [stdout = Buffer.alloc(0), stderr = Buffer.alloc(0)] = collectors.map((collector) => collector.bytes());
    return { stdout, stderr, truncated: collectors.some((collector) => collector.truncated), ...end };
  } finally {
    for (const output of outputs) output.destroy();
  }
}

async function start(run: PipedRun, stdin: number, inside: number[]): Promise<ProcessEnd> {
  const [command = '', ...rest] = run.argv;
  try {
    const child = spawn(command, rest, {
      stdio: exactDescriptors([stdin, ...inside.slice(0, 2), ...run.fds]),
      env: hostEnvironment(),
      cwd: '/',
      detached: true,
    });
    for (const descriptor of inside.splice(0)) closeSync(descriptor);
    return await supervise(child, run);
  } catch (error) {
    throw startError(error, command);
  } finally {
    for (const descriptor of inside.splice(0)) closeSync(descriptor);
  }
}

/** Characters that were cut between two chunks come whole with the second. */
function relayText(output: Socket, limit: number, onText: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let room = limit;
  output.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, Math.max(0, room));
    room -= kept.length;
    if (kept.length > 0) onText(decoder.write(kept));
  });
}

/**
 * Writes the pieces to a named pipe. The descriptor to read them is added to `inside`, which is closed once the process
 * has it.
 */
function feed(
  path: string,
  pieces: AsyncIterable<string | Uint8Array>,
  inside: number[],
): { descriptor: number; stop: () => void } {
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
  // Opening one end waits for the other, unless told not to; and the process must get a descriptor that does wait.
  const first = openSync(path, O_RDONLY | O_NONBLOCK);
  const input = new Socket({ fd: openSync(path, O_WRONLY | O_NONBLOCK), readable: false, writable: true });
  const descriptor = openSync(path, O_RDONLY);
  closeSync(first);
  inside.push(descriptor);
  // A process that ended reads no more.
  input.on('error', () => undefined);
  const source = Readable.from(pieces);
  source.on('error', () => input.destroy());
  source.pipe(input);
  return {
    descriptor,
    stop: () => {
      source.destroy();
      input.destroy();
    },
  };
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
