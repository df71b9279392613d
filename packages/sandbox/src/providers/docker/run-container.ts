import { Readable, type Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { ExecOptions } from '../../contract.ts';
import { OutputCollector } from '../../process/output-collector.ts';
import { unlessDone } from './docker-client.ts';
import { splitStreams } from './docker-streams.ts';

export interface ContainerRun {
  stdin: ExecOptions['stdin'];
  onStdout: ((text: string) => void) | undefined;
  outputBytes: number;
  timeoutMs: number;
  /** Kills the container. */
  signal: AbortSignal;
}

export interface ContainerEnd {
  stdout: string;
  stderr: string;
  exitCode: number;
  timedOut: boolean;
  truncated: boolean;
  outOfMemory: boolean;
}

/** How long output may still be on its way when the container has ended. */
const DRAIN_MS = 5000;

/**
 * Starts a container that was made, and waits for its end; all its processes are dead then. It is not removed. Rejects
 * when it cannot be started.
 */
export async function runContainer(container: Docker.Container, run: ContainerRun): Promise<ContainerEnd> {
  const stdout = new OutputCollector(run.outputBytes);
  const stderr = new OutputCollector(run.outputBytes);
  const tell = run.onStdout === undefined ? () => undefined : relayText(run.outputBytes, run.onStdout);
  const attached = await attach(container, run.stdin !== undefined);
  const drained = splitStreams(attached, (stream, chunk) => {
    (stream === 'stdout' ? stdout : stderr).add(chunk);
    if (stream === 'stdout') tell(chunk);
  });
  let timedOut = false;
  // A container that cannot be killed has ended, or the wait below rejects.
  const kill = (): void => void unlessDone(container.kill()).catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  let input: Readable | undefined;
  try {
    await container.start();
    timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, run.timeoutMs);
    run.signal.addEventListener('abort', kill, { once: true });
    if (run.signal.aborted) kill();
    input = feed(attached, run.stdin);
    const { StatusCode: exitCode }: { StatusCode: number } = await container.wait();
    await Promise.race([drained, sleep(DRAIN_MS, undefined, { ref: false })]);
    const { State } = await container.inspect();
    return {
      stdout: stdout.bytes().toString('utf8'),
      stderr: stderr.bytes().toString('utf8'),
      exitCode,
      timedOut,
      truncated: stdout.truncated || stderr.truncated,
      outOfMemory: State.OOMKilled,
    };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', kill);
    input?.destroy();
    attached.destroy();
  }
}

/** The streams of a container, from its first byte on if it has not been started yet. */
export async function attach(container: Docker.Container, stdin: boolean): Promise<Duplex> {
  const stream = await container.attach({ stream: true, hijack: true, stdin, stdout: true, stderr: true });
  // With `hijack` it is the socket itself.
  return stream as Duplex;
}

function feed(attached: Duplex, stdin: ExecOptions['stdin']): Readable | undefined {
  if (stdin === undefined) return undefined;
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) {
    attached.end(stdin);
    return undefined;
  }
  const source = Readable.from(stdin);
  source.on('error', () => attached.end());
  return source.pipe(attached) && source;
}

/** Characters that were cut between two chunks come whole with the second. */
function relayText(limit: number, onText: (text: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let room = limit;
  return (chunk) => {
    const text = decoder.write(chunk.subarray(0, Math.max(0, room)));
    room -= chunk.length;
    if (text !== '') onText(text);
  };
}
