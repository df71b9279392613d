import type { Sandbox, SandboxOptions, SandboxProvider } from '../../contract.ts';
import type { CaseOutcome, CaseRequest } from '../../run-tests/case-outcome.ts';
import { checkSandboxOptions } from '../javascript/program-options.ts';
import { ProgramSandbox } from '../javascript/program-sandbox.ts';
import { refuseLanguage } from '../javascript/refuse-language.ts';
import { WorkerPool } from '../javascript/worker-pool.ts';

const pool = new WorkerPool('node-vm', new URL('node-vm-worker.ts', import.meta.url));
let warned = false;

/**
 * JavaScript and TypeScript in `node:vm`, in a thread of this process. **No boundary**: what it runs can reach the
 * thread's `process`, and through it all that this process may do: read its files and its environment, start programs,
 * use the network, end it. For code that you trust as you trust your own. It says so once per process, as a warning
 * with the code `ASSAY_NODE_VM`. Otherwise it does what `QuickJSProvider` does, with the same harness, and it needs
 * nothing but Node.
 *
 * The thread is there so that what does not end can be stopped: a time limit of `node:vm` does not hold for promises.
 */
export class NodeVMProvider implements SandboxProvider {
  readonly name = 'node-vm';
  readonly isolation = 'none';
  readonly limits = 'partial';
  readonly runs = 'javascript';
  readonly #sandboxes = new Map<string, Sandbox>();

  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    warnOnce();
    const sandbox = new ProgramSandbox({
      provider: this.name,
      options: checkSandboxOptions(this.name, options, { limitsMemory: false }),
      run: (request, signal) => pool.runProgram(request, signal),
      onDestroy: (id) => this.#sandboxes.delete(id),
    });
    this.#sandboxes.set(sandbox.id, sandbox);
    return sandbox;
  }

  async destroy(id: string): Promise<void> {
    await this.#sandboxes.get(id)?.destroy();
  }

  /** `memoryBytes` is not enforced. */
  async runCases({ source, language, functionName, cases, signal }: CaseRequest): Promise<CaseOutcome[]> {
    warnOnce();
    refuseLanguage(this.name, language);
    return pool.runCases({ source, language, functionName, cases, memoryBytes: 0 }, signal);
  }
}

function warnOnce(): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    'node-vm runs submissions in this process and is no boundary: they can reach its environment and its files',
    { code: 'ASSAY_NODE_VM' },
  );
}
