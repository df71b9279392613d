import { AssayError } from '@assay/protocol/errors';
import type { Sandbox, SandboxOptions, SandboxProvider } from '../../contract.ts';
import { SubmissionScript } from '../../languages/javascript/submission-script.ts';
import { readOutcome, type CaseOutcome, type CaseRequest } from '../../run-tests/case-outcome.ts';
import { checkSandboxOptions } from '../javascript/program-options.ts';
import { timedOutAfter, type ProgramRequest } from '../javascript/program-result.ts';
import { ProgramSandbox } from '../javascript/program-sandbox.ts';
import { refuseLanguage } from '../javascript/refuse-language.ts';
import { VmGuest, VmTimeout } from './vm-guest.ts';

/** What a program printed is still asked for after its time. */
const TIME_TO_FINISH_MS = 100;

let warned = false;

/**
 * JavaScript and TypeScript in `node:vm`, in this process. **No boundary**: what it runs can reach the host's `process`, its environment
 * and its files, take all of its memory, and end it. For code that you trust as you trust your own. It says so once per process, as a
 * warning with the code `ASSAY_NODE_VM`. Otherwise it does what `QuickJSProvider` does, with the same harness.
 *
 * It blocks the process while a program runs.
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
      run: async (request) => runProgram(request),
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
    const script = new SubmissionScript(source, language);
    const outcomes: CaseOutcome[] = [];
    for (const { input, timeoutMs } of cases) {
      if (signal?.aborted) throw new AssayError('INTERRUPTED');
      outcomes.push(readOutcome(script.attempt((text) => runCase(text, functionName, input, timeoutMs))));
      // Others of this process have their turn.
      await new Promise((resolve) => { setImmediate(resolve); });
    }
    return outcomes;
  }
}

function runCase(source: string, functionName: string, input: string, timeoutMs: number): string {
  try {
    const guest = new VmGuest(timeoutMs);
    const refused = guest.call('load', source, functionName);
    if (refused !== '') return refused;
    guest.call('call', input);
    for (;;) {
      const outcome = guest.call('poll');
      if (outcome !== '') return outcome;
      if (guest.call('tick') === '') return guest.call('poll') || JSON.stringify({ failed: 'the promise is never settled' });
    }
  } catch (error) {
    return JSON.stringify({ failed: error instanceof VmTimeout ? timedOutAfter(timeoutMs) : 'the harness broke down' });
  }
}

function runProgram({ source, files, timeoutMs }: ProgramRequest): string {
  const guest = new VmGuest(timeoutMs);
  try {
    guest.call('run', source, files);
    while (guest.call('tick') !== '');
    return guest.call('finish');
  } catch (error) {
    if (!(error instanceof VmTimeout)) return JSON.stringify({ stderr: 'the harness broke down\n', exitCode: 1 });
    const printed: unknown = JSON.parse(lastWords(guest));
    return JSON.stringify({ ...(printed instanceof Object ? printed : {}), exitCode: 124, timedOut: true });
  }
}

/** What a program that was stopped had printed until then, if it can still be asked. */
function lastWords(guest: VmGuest): string {
  try {
    guest.extendTime(TIME_TO_FINISH_MS);
    return guest.call('finish');
  } catch {
    return '{}';
  }
}

function warnOnce(): void {
  if (warned) return;
  warned = true;
  process.emitWarning('node-vm runs submissions in this process and is no boundary: they can reach its environment and its files', { code: 'ASSAY_NODE_VM' });
}
