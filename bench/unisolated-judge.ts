import { createContext, Script } from 'node:vm';

export interface UnisolatedResult {
  desc: string;
  passed: boolean;
  got?: unknown;
  error?: string;
}

/**
 * Judges as the sandbox package of the published pages does, written anew from the specs for comparison: a new
 * context of `node:vm` per case, the arguments spliced into the source as JSON, the last line of output parsed, texts
 * compared. Nothing is isolated from anything.
 */
export function judgeUnisolated(
  code: string,
  functionName: string,
  cases: readonly { input: unknown[]; expected: unknown; desc?: string }[],
): UnisolatedResult[] {
  return cases.map(({ input, expected, desc = 'test' }) => {
    try {
      const got = callOnce(code, functionName, input);
      return { desc, passed: JSON.stringify(got) === JSON.stringify(expected), got };
    } catch (error) {
      return { desc, passed: false, error: String(error) };
    }
  });
}

function callOnce(code: string, functionName: string, input: unknown[]): unknown {
  const lines: string[] = [];
  const print = (...given: unknown[]): void => {
    lines.push(given.map(String).join(' '));
  };
  const context = createContext(
    {
      console: { log: print, error: print, warn: print },
      __files: Object.freeze({}),
      Array,
      Object,
      Map,
      Set,
      Date,
      Error,
      TypeError,
      RangeError,
      SyntaxError,
      RegExp,
      String,
      Number,
      Boolean,
      Symbol,
      Math,
      parseInt,
      parseFloat,
      isNaN,
      isFinite,
      JSON: Object.freeze({ parse: JSON.parse, stringify: JSON.stringify }),
      setTimeout: undefined,
      setInterval: undefined,
      queueMicrotask: undefined,
      process: undefined,
      require: undefined,
      globalThis: undefined,
      Buffer: undefined,
      fetch: undefined,
      WebAssembly: undefined,
    },
    { codeGeneration: { strings: false, wasm: false } },
  );
  const source = code.slice(Math.max(0, code.search(new RegExp(`function\\s+${functionName}`))));
  const script = new Script(`${source}\nconsole.log(JSON.stringify(${functionName}(...${JSON.stringify(input)})));`, {
    filename: 'sandbox.js',
  });
  script.runInContext(context, { timeout: 3000 });
  return JSON.parse(lines.at(-1) ?? '');
}
