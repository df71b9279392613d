import type { Sandbox, SandboxOptions, SandboxProvider } from '../../contract.ts';
import type { CaseOutcome, CaseRequest } from '../../run-tests/case-outcome.ts';
import { checkSandboxOptions } from '../javascript/program-options.ts';
import { ProgramSandbox } from '../javascript/program-sandbox.ts';
import { refuseLanguage } from '../javascript/refuse-language.ts';
import { WorkerPool } from '../javascript/worker-pool.ts';

const DEFAULT_MEMORY_BYTES = 64 * 1024 * 1024;
const pool = new WorkerPool('quickjs', new URL('quickjs-worker.ts', import.meta.url));

/**
 * JavaScript and TypeScript in QuickJS, compiled to WebAssembly, in a thread that can be killed: no files, no network,
 * no process, no host objects. Each case and each program gets a fresh runtime, whose clock and chance are the same
 * every time.
 *
 * `exec` runs a JavaScript program, and not a shell line. Exit code 0; 1 with the message on standard error when it
 * threw; 124 after a time-out. Its default time limit is 5 s.
 */
export class QuickJSProvider implements SandboxProvider {
  readonly name = 'quickjs';
  readonly isolation = 'wasm';
  readonly limits = 'full';
  readonly runs = 'javascript';
  readonly #sandboxes = new Map<string, Sandbox>();

  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const sandbox = new ProgramSandbox({
      provider: this.name,
      options: checkSandboxOptions(this.name, options, { limitsMemory: true }),
      run: (request, signal) => pool.runProgram(request, signal),
      onDestroy: (id) => this.#sandboxes.delete(id),
    });
    this.#sandboxes.set(sandbox.id, sandbox);
    return sandbox;
  }

  async destroy(id: string): Promise<void> {
    await this.#sandboxes.get(id)?.destroy();
  }

  async runCases({ source, language, functionName, cases, memoryBytes, signal }: CaseRequest): Promise<CaseOutcome[]> {
    refuseLanguage(this.name, language);
    return pool.runCases(
      { source, language, functionName, cases, memoryBytes: memoryBytes ?? DEFAULT_MEMORY_BYTES },
      signal,
    );
  }
}
