import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { GUEST_PROGRAM, type GuestMethod } from '../../languages/javascript/guest-program.ts';
import { timedOutAfter, type ProgramRequest } from '../javascript/program-result.ts';

/** One case, run as if in a runtime of its own. */
export interface ScriptCase {
  source: string;
  functionName: string;
  /** Tagged JSON of the arguments. */
  input: string;
  timeoutMs: number;
  memoryBytes: number;
}

const STACK_BYTES = 512 * 1024;
const JOBS_AT_ONCE = 1000;
const PAGE_BYTES = 64 * 1024;
/** Time to fetch what a program printed, after its own time is over. */
const TIME_TO_FINISH_MS = 100;

/** WebAssembly itself trapped: the engine must be thrown away. */
export class BrokenEngine extends Error {}

/** The guest was stopped, or an error came out of it where none can. */
class Stopped extends Error {}

/**
 * A QuickJS runtime that has read our own harness and nothing else, and the memory of it as it was then. Every case
 * starts by putting that memory back, so that it finds a runtime as fresh as the first, at a tenth of what reading the
 * harness again would take.
 */
export class QuickJSEngine {
  readonly #module: QuickJSWASMModule;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #guest: QuickJSHandle;
  readonly #methods: Record<GuestMethod, QuickJSHandle>;
  readonly #memory: MemoryPiece[];
  #deadline = Number.POSITIVE_INFINITY;
  /**
   * The limit on the WebAssembly memory. QuickJS's own limit counts only a few bytes of each allocation when it is
   * compiled to WebAssembly.
   */
  #mostBytes = Number.POSITIVE_INFINITY;

  constructor(module: QuickJSWASMModule) {
    this.#module = module;
    this.#runtime = module.newRuntime({ maxStackSizeBytes: STACK_BYTES, interruptHandler: () => this.#isLate() });
    this.#context = this.#runtime.newContext();
    const context = this.#context;
    this.#guest = context.unwrapResult(context.evalCode(GUEST_PROGRAM, 'harness.js', { type: 'global' }));
    const method = (name: GuestMethod): QuickJSHandle => context.getProp(this.#guest, name);
    this.#methods = {
      load: method('load'),
      call: method('call'),
      poll: method('poll'),
      tick: method('tick'),
      run: method('run'),
      finish: method('finish'),
    };
    this.#memory = usedPieces(module);
    limitGrowth(module.getWasmMemory(), () => this.#mostBytes);
  }

  /** The size of the WebAssembly memory, which grows and never shrinks; 16 MiB at the start. */
  get memoryBytes(): number {
    return this.#module.getWasmMemory().buffer.byteLength;
  }

  /** The outcome as JSON text (see `readOutcome`). Throws {@link BrokenEngine}. */
  runCase(given: ScriptCase): string {
    return this.#fromStart(given, () => {
      try {
        return this.#answer(given);
      } catch (error) {
        if (error instanceof Stopped)
          return JSON.stringify({ failed: this.#isLate() ? timedOutAfter(given.timeoutMs) : error.message });
        throw error;
      }
    });
  }

  /** Returns the result as JSON text (see `readProgramResult`). Throws {@link BrokenEngine}. */
  runProgram(given: ProgramRequest): string {
    return this.#fromStart(given, () => {
      try {
        this.#call('run', given.source, given.files).dispose();
        while (!this.#isLate() && (this.#runJobs() > 0 || this.#text('tick') !== ''));
        if (!this.#isLate()) return this.#text('finish');
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        if (!this.#isLate()) return JSON.stringify({ ...this.#printed(), exitCode: 1 });
      }
      return JSON.stringify({ ...this.#printed(), exitCode: 124, timedOut: true });
    });
  }

  /** Returns what a stopped program had printed so far. */
  #printed(): object {
    this.#deadline = performance.now() + TIME_TO_FINISH_MS;
    try {
      const printed: unknown = JSON.parse(this.#text('finish'));
      return typeof printed === 'object' && printed !== null ? printed : {};
    } catch (error) {
      if (error instanceof Stopped || error instanceof SyntaxError) return { stderr: 'stopped\n' };
      throw error;
    }
  }

  #fromStart(given: { timeoutMs: number; memoryBytes: number }, use: () => string): string {
    // Memory beyond the copy is free: the allocator's own records are restored with it.
    const memory = new Uint8Array(this.#module.getWasmMemory().buffer);
    for (const { offset, bytes } of this.#memory) memory.set(bytes, offset);
    this.#deadline = performance.now() + given.timeoutMs;
    try {
      this.#mostBytes = given.memoryBytes;
      return use();
    } catch (error) {
      throw new BrokenEngine('the runtime broke down: recursion too deep, or memory', { cause: error });
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
    }
  }

  #answer(given: ScriptCase): string {
    const refused = this.#text('load', given.source, given.functionName);
    if (refused !== '') return refused;
    this.#call('call', given.input).dispose();
    for (;;) {
      const outcome = this.#text('poll');
      // A native call may have overrun its time without having been stopped.
      if (this.#isLate()) return JSON.stringify({ failed: timedOutAfter(given.timeoutMs) });
      if (outcome !== '') return outcome;
      if (this.#runJobs() > 0) continue;
      if (this.#text('tick') === '') return JSON.stringify({ failed: 'the promise is never settled' });
    }
  }

  #text(name: GuestMethod, ...texts: string[]): string {
    const handle = this.#call(name, ...texts);
    const value = this.#context.typeof(handle) === 'string' ? this.#context.getString(handle) : '';
    handle.dispose();
    return value;
  }

  #call(name: GuestMethod, ...texts: string[]): QuickJSHandle {
    const handles = texts.map((text) => this.#context.newString(text));
    const result = this.#context.callFunction(this.#methods[name], this.#context.undefined, handles);
    for (const handle of handles) handle.dispose();
    // The harness inside did not catch this error. Reading its text would run code.
    if (result.error) throw new Stopped('out of memory, or recursion too deep');
    return result.value;
  }

  #runJobs(): number {
    const jobs = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
    if (jobs.error) throw new Stopped('out of memory, or recursion too deep');
    return jobs.value;
  }

  #isLate(): boolean {
    return performance.now() >= this.#deadline;
  }
}

/** A `WebAssembly.Memory`, for which neither Node nor the language has types. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** WebAssembly asks for more by this method, and takes a throw for a no. */
function limitGrowth(memory: WasmMemory, mostBytes: () => number): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > mostBytes()) throw new RangeError('over the limit');
    return grow(pages);
  };
}

interface MemoryPiece {
  offset: number;
  bytes: Uint8Array;
}

/**
 * No object of the harness is so large and all zero: such a run is unused memory, or the stack of a call that is over.
 */
const LEAST_UNUSED_BYTES = 256 * 1024;

/** Copies of all parts of the memory that are in use. */
function usedPieces(module: QuickJSWASMModule): MemoryPiece[] {
  const words = new Uint32Array(module.getWasmMemory().buffer);
  const pieces: MemoryPiece[] = [];
  const keep = (start: number, end: number): void => {
    if (end > start) pieces.push({ offset: start * 4, bytes: new Uint8Array(words.slice(start, end).buffer) });
  };
  let start = 0;
  let zeros = 0;
  for (let index = 0; index < words.length; index += 1) {
    if (words[index] === 0) {
      zeros += 1;
      continue;
    }
    if (zeros * 4 >= LEAST_UNUSED_BYTES) {
      keep(start, index - zeros);
      start = index;
    }
    zeros = 0;
  }
  keep(start, words.length - zeros);
  return pieces;
}
