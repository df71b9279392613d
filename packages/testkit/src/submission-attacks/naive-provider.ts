import { inspect } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import {
  fromTagged,
  toTagged,
  type CaseOutcome,
  type CaseRequest,
  type Sandbox,
  type SandboxProvider,
} from '@assay/sandbox';

/**
 * The judge that one writes first: `node:vm` with the host's own objects in its context, arguments handed over as they
 * are, the result looked at by the host. It is the positive control of the attacks that a harness made of text, with
 * nothing but texts crossing, gives no hold.
 */
export class NaiveProvider implements SandboxProvider {
  readonly name = 'naive';
  readonly isolation = 'none';
  readonly runs = 'javascript';

  async runCases({ source, functionName, cases }: CaseRequest): Promise<CaseOutcome[]> {
    const inputs = cases.map(({ input }) => fromTagged(JSON.parse(input)));
    const outcomes: CaseOutcome[] = [];
    for (const input of inputs)
      outcomes.push(await runCase(source, functionName, Array.isArray(input) ? input : [], inputs));
    return outcomes;
  }

  create(): Promise<Sandbox> {
    return Promise.reject(new Error('it runs cases only'));
  }

  async destroy(): Promise<void> {}
}

async function runCase(
  source: string,
  functionName: string,
  input: unknown[],
  inputs: unknown[],
): Promise<CaseOutcome> {
  const print = (...given: unknown[]): void => void inspect(given);
  const refuse = (name: unknown): never => {
    throw new Error(`${String(name)} cannot be imported here`);
  };
  const context = createContext({
    console: { log: print, error: print },
    module: { exports: {} },
    exports: {},
    require: refuse,
    __files: Object.freeze({}),
    inputs,
    Array,
    Object,
    JSON,
    Promise,
    Math,
    Date,
    Map,
    Set,
    RegExp,
    String,
    Number,
    Error,
    Reflect,
    Function,
    structuredClone,
    setTimeout,
    queueMicrotask,
    performance,
    parseInt,
  });
  try {
    const call: unknown = runInContext(`${source}\n;${functionName}`, context, { timeout: 3000 });
    const result: unknown = typeof call === 'function' ? await call(...input, inputs) : undefined;
    inspect(result);
    return { kind: 'returned', value: toTagged(JSON.parse(JSON.stringify(result) ?? 'null')) };
  } catch (error) {
    return { kind: 'thrown', name: 'Error', message: inspect(error) };
  }
}
