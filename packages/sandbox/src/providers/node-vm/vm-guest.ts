import { randomBytes } from 'node:crypto';
import { createContext, Script, type Context } from 'node:vm';
import { GUEST_PROGRAM, type GuestMethod } from '../../languages/javascript/guest-program.ts';

/**
 * The name of the guest's functions in the scope of scripts. A submission that does not know it cannot find them.
 */
const NAME = `guest_${randomBytes(8).toString('hex')}`;
const HARNESS = new Script(`const ${NAME} = ${GUEST_PROGRAM}; ''`, { filename: 'harness.js' });

/** Timers of whole milliseconds may come so much too early. */
const EARLIEST_MS = 2;

/** The guest ran out of its time. */
export class VmTimeout extends Error {}

/**
 * A context of `node:vm` with our harness in it. Not a boundary: from the context's global object a path leads to the
 * host's `process`.
 */
export class VmGuest {
  readonly #context: Context;
  #deadline: number;

  constructor(timeoutMs: number) {
    this.#deadline = performance.now() + timeoutMs;
    // Promises of the context run within the time limit of a script, and not after it.
    this.#context = createContext({}, { microtaskMode: 'afterEvaluate', name: 'submission' });
    this.#evaluate(HARNESS);
  }

  /** Calls one of the guest's functions with texts. Throws {@link VmTimeout}. */
  call(method: GuestMethod, ...texts: string[]): string {
    const literals = texts.map((text) => JSON.stringify(text)).join(',');
    const value = this.#evaluate(new Script(`${NAME}.${method}(${literals})`, { filename: 'harness.js' }));
    return typeof value === 'string' ? value : '';
  }

  /** For a last call after a time-out. */
  extendTime(milliseconds: number): void {
    this.#deadline = performance.now() + milliseconds;
  }

  #evaluate(script: Script): unknown {
    const timeout = Math.ceil(this.#deadline - performance.now());
    if (timeout <= 0) throw new VmTimeout();
    try {
      return script.runInContext(this.#context, { timeout });
    } catch {
      // The error may be an object of the guest: looking at it could run its code here.
      throw performance.now() >= this.#deadline - EARLIEST_MS ? new VmTimeout() : new Error('the harness broke down');
    }
  }
}
