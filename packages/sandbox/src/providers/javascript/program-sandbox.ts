import { randomUUID } from 'node:crypto';
import { AssayError } from '@assay/protocol/errors';
import type { ExecOptions, ExecResult, Sandbox } from '../../contract.ts';
import { checkExecOptions, type ProgramOptions } from './program-options.ts';
import { readProgramResult, timedOutAfter, type ProgramRequest } from './program-result.ts';

export interface ProgramSandboxSettings {
  provider: string;
  options: ProgramOptions;
  /** Runs a program and answers with what the guest says about it. Rejects with the signal's reason. */
  run: (request: ProgramRequest, signal: AbortSignal | undefined) => Promise<string>;
  onDestroy: (id: string) => void;
}

/**
 * A sandbox for JavaScript programs: files in memory, which a program reads as the frozen object `__files`, and `exec`,
 * which runs a program and not a shell line. Every program starts in a fresh realm.
 */
export class ProgramSandbox implements Sandbox {
  readonly id = randomUUID();
  readonly #settings: ProgramSandboxSettings;
  readonly #files = new Map<string, Buffer>();
  readonly #end = new AbortController();

  constructor(settings: ProgramSandboxSettings) {
    this.#settings = settings;
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#checkAlive();
    if (path === '' || path.includes('\0'))
      throw new AssayError('BAD_OPTION', { option: 'path', detail: 'a path must not be empty or hold NUL' });
    const bytes = Buffer.from(content);
    let total = bytes.length;
    for (const [name, file] of this.#files) if (name !== path) total += file.length;
    const { diskBytes } = this.#settings.options;
    if (total > diskBytes)
      throw new AssayError('SANDBOX_FILE_FAILED', {
        path,
        detail: `the files would take more than ${diskBytes} bytes`,
      });
    this.#files.set(path, bytes);
  }

  async readFile(path: string): Promise<string> {
    this.#checkAlive();
    const bytes = this.#files.get(path);
    if (!bytes) throw new AssayError('SANDBOX_FILE_FAILED', { path, detail: 'there is no such file' });
    return bytes.toString('utf8');
  }

  async exec(program: string, options: ExecOptions = {}): Promise<ExecResult> {
    this.#checkAlive();
    const { provider, options: defaults, run } = this.#settings;
    const timeoutMs = checkExecOptions(provider, options, defaults);
    if (options.signal?.aborted) throw new AssayError('INTERRUPTED');
    const signal = options.signal ? AbortSignal.any([options.signal, this.#end.signal]) : this.#end.signal;
    const files = JSON.stringify(
      Object.fromEntries([...this.#files].map(([path, bytes]) => [path, bytes.toString('utf8')])),
    );
    const start = performance.now();
    const text = await run({ source: program, files, timeoutMs, memoryBytes: defaults.memoryBytes }, signal).catch(
      (error: unknown) => this.#stopped(error, options.signal),
    );
    const result = readProgramResult(text, defaults.outputBytes);
    if (result.timedOut) result.stderr += `${timedOutAfter(timeoutMs)}\n`;
    return { ...result, durationMs: performance.now() - start };
  }

  async destroy(): Promise<void> {
    this.#end.abort();
    this.#files.clear();
    this.#settings.onDestroy(this.id);
  }

  #stopped(error: unknown, signal: AbortSignal | undefined): never {
    if (signal?.aborted) throw new AssayError('INTERRUPTED');
    this.#checkAlive();
    throw error;
  }

  #checkAlive(): void {
    if (this.#end.signal.aborted) throw new AssayError('SANDBOX_GONE', { id: this.id });
  }
}
