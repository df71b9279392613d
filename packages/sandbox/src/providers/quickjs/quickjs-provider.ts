import { AssayError } from '@assay/protocol/errors';
import type { Sandbox, SandboxProvider } from '../../contract.ts';
import type { CaseOutcome, CaseRequest } from '../../run-tests/case-outcome.ts';
import { runInWorker } from './quickjs-worker-pool.ts';

const DEFAULT_MEMORY_BYTES = 64 * 1024 * 1024;

/**
 * JavaScript and TypeScript in QuickJS, compiled to WebAssembly, in a thread that can be killed: no files, no network, no process, no host
 * objects. Each case gets a fresh runtime.
 */
export class QuickJSProvider implements SandboxProvider {
  readonly name = 'quickjs';
  readonly isolation = 'wasm';
  readonly limits = 'full';
  readonly runs = 'javascript';

  runCases({ source, language, functionName, cases, memoryBytes, signal }: CaseRequest): Promise<CaseOutcome[]> {
    if (language !== 'javascript' && language !== 'typescript') {
      throw new AssayError('PROVIDER_UNAVAILABLE', { name: 'quickjs', detail: `it runs JavaScript, not ${language}`, hint: 'Take bubblewrap.' });
    }
    return runInWorker({ source, language, functionName, cases, memoryBytes: memoryBytes ?? DEFAULT_MEMORY_BYTES }, signal);
  }

  create(): Promise<Sandbox> {
    throw new AssayError('IMPOSSIBLE', { detail: 'not yet' });
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}
