import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { ExecOptions, ExecResult, Sandbox } from '@assay/sandbox';

const BEFORE_AGENT = readFileSync(new URL('before-agent.pl', import.meta.url), 'utf8');
const LOOK_AROUND = readFileSync(new URL('look-around.pl', import.meta.url), 'utf8');
/**
 * Takes messages of as many bytes as it is told, and not one more, and runs the first. All that process 1 shows of it
 * to an agent is this line: programs and addresses come on standard input. By -t and -C0 a task's PERL5OPT, PERL5LIB
 * and PERL_UNICODE change nothing.
 */
const START =
  'sub take{my($n,$t)=(@_,"");sysread STDIN,$t,$n-length$t,length$t or exit while length$t<$n;$t}take(take 8)=~/(.*)/s;eval$1;die$@if$@';
const ARGV = ['/usr/bin/perl', '-C0', '-tw', '-e', START];
/** Its last words, and how much standard input it can pass on at once. */
const READY = /\nready (\d+)\n$/;
const LOOK_MS = 30_000;
/** The look counts towards the time of a command: of less than this it would be more than a small part. */
const SHORTEST_MS = 60_000;
/** Bytes that the kernel takes as one argument. */
const LONGEST_ARGUMENT = 128 * 1024;

/** The outcome of a look around. */
export interface Look {
  stdout: string;
  stderr: string;
  /** Null when it was stopped. */
  exitCode: number | null;
  /** It came to its end. */
  ready: boolean;
  /** The process that looked, waiting to become the sandbox's first command; null when there is none. */
  waiting: WaitingProcess | null;
}

export interface FirstCommand {
  /** Its time limit in milliseconds. */
  timeoutMs: number;
  /** Its working directory. */
  cwd: string;
}

/** Looks around, and ends. */
export async function lookAround(sandbox: Sandbox, words: readonly string[], signal?: AbortSignal): Promise<Look> {
  const result = await sandbox.exec('', { argv: ARGV, cwd: '/', stdin: opening(words), timeout: LOOK_MS, signal });
  return { ...result, ready: READY.test(result.stdout), waiting: null };
}

/** Looks around, and waits to become `first`, if that has time enough. For providers that are `interactive`. */
export async function lookAroundBefore(
  first: FirstCommand,
  sandbox: Sandbox,
  words: readonly string[],
  signal?: AbortSignal,
): Promise<Look> {
  if (first.timeoutMs < SHORTEST_MS) return lookAround(sandbox, words, signal);
  const waiting = new WaitingProcess(sandbox, first, words, signal);
  const end = await waiting.looked;
  return end
    ? { ...end, ready: false, waiting: null }
    : { stdout: waiting.facts, stderr: '', exitCode: null, ready: true, waiting };
}

/**
 * A process of a sandbox that has looked around in it, and holds nothing of that. It becomes one command, in the same
 * place, or ends.
 */
export class WaitingProcess {
  /** Fulfilled with null when it waits, with its end when it ended before, and stopped when it took too long. */
  readonly looked: Promise<(Pick<ExecResult, 'stdout' | 'stderr'> & { exitCode: number | null }) | null>;
  /** Its output before it waited. */
  facts = '';
  readonly #first: FirstCommand;
  readonly #told = Promise.withResolvers<Uint8Array | null>();
  readonly #mark = `${randomBytes(12).toString('hex')}\n`;
  readonly #stopping = new AbortController();
  readonly #end: Promise<ExecResult>;
  #listen: ((text: string) => void) | undefined;
  #room = 0;
  #free = true;

  constructor(sandbox: Sandbox, first: FirstCommand, words: readonly string[], signal?: AbortSignal) {
    this.#first = first;
    const ready = Promise.withResolvers<null>();
    this.#listen = (text) => {
      this.facts += text;
      const [, room] = READY.exec(this.facts) ?? [];
      if (room === undefined) return;
      this.#room = Number(room);
      ready.resolve(null);
    };
    this.#end = sandbox.exec('', {
      argv: ARGV,
      cwd: first.cwd,
      timeout: first.timeoutMs,
      stdin: this.#say(opening(words)),
      onStdout: (text) => this.#listen?.(text),
      signal: signal ? AbortSignal.any([signal, this.#stopping.signal]) : this.#stopping.signal,
    });
    this.#end.then(
      () => this.#leave(),
      () => this.#leave(),
    );
    const timer = setTimeout(() => this.#stopping.abort(), LOOK_MS);
    const end = this.#end.catch((error: unknown) => {
      if (this.#stopping.signal.aborted) return { stdout: this.facts, stderr: '', exitCode: null };
      throw error;
    });
    this.looked = Promise.race([ready.promise, end]).finally(() => clearTimeout(timer));
  }

  /** Whether it can become this command. What the sandbox would refuse it cannot. */
  fits(
    command: string,
    { argv = shell(command), env = {}, cwd = this.#first.cwd, timeout, stdin = '', expose, copy }: ExecOptions,
  ): boolean {
    if (isIterable(stdin) || Buffer.byteLength(stdin) > this.#room) return false;
    const possible = [...argv, ...assignments(env)].every(
      (text) => Buffer.byteLength(text) < LONGEST_ARGUMENT && !text.includes('\0'),
    );
    const named = Object.keys(env).every((name) => name !== '' && !name.includes('='));
    return (
      this.#free &&
      possible &&
      named &&
      argv.length > 0 &&
      cwd === this.#first.cwd &&
      timeout === this.#first.timeoutMs &&
      !expose &&
      !copy
    );
  }

  /** As `exec` of its sandbox. Only for what fits. */
  async become(
    command: string,
    { argv = shell(command), env = {}, stdin = '', onStdout, signal }: ExecOptions,
  ): Promise<ExecResult> {
    const startedAt = performance.now();
    const stop = (): void => this.#stopping.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    this.#listen = onStdout;
    const variables = assignments(env);
    const words = [this.#mark, String(variables.length), ...variables, ...argv];
    this.#leave(Buffer.concat([message(words.join('\0')), message(isIterable(stdin) ? '' : stdin)]));
    try {
      const result = await this.#end;
      const marked = result.stderr.indexOf(this.#mark);
      return {
        ...result,
        stdout: result.stdout.slice(this.facts.length),
        stderr: marked === -1 ? result.stderr : result.stderr.slice(marked + this.#mark.length),
        durationMs: performance.now() - startedAt,
      };
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Ends it, unless it has become a command. */
  async close(): Promise<void> {
    if (!this.#free) return;
    this.#leave();
    this.#stopping.abort();
    await this.#end.catch(() => undefined);
  }

  #leave(told: Uint8Array | null = null): void {
    this.#free = false;
    this.#told.resolve(told);
  }

  async *#say(first: Uint8Array): AsyncGenerator<Uint8Array> {
    yield first;
    const told = await this.#told.promise;
    if (told !== null) yield told;
  }
}

const shell = (command: string): string[] => ['/bin/sh', '-c', command];
const assignments = (env: Record<string, string>): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`);
const isIterable = (stdin: NonNullable<ExecOptions['stdin']>): stdin is AsyncIterable<string | Uint8Array> =>
  typeof stdin === 'object' && Symbol.asyncIterator in stdin;

function opening(words: readonly string[]): Uint8Array {
  return Buffer.concat([BEFORE_AGENT, LOOK_AROUND, words.join(' ')].map(message));
}

/** Its length in eight digits, and itself. */
function message(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(String(bytes.length).padStart(8, '0')), bytes]);
}
