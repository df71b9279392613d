import type { Codec } from '../../values/make-codec.ts';
import type { Surroundings } from './make-surroundings.ts';

/**
 * Runs a program, as opposed to a function of it: what it prints is its output. Its text is sent into guests, so it
 * names nothing outside itself.
 */
export function makeProgram(codec: Codec, surroundings: Surroundings): Program {
  const { parse, stringify } = JSON;
  const { defineProperty, freeze } = Object;
  const { apply } = Reflect;
  const promiseThen = Promise.prototype.then;
  const { output } = surroundings;
  // oxlint-disable-next-line eslint/no-eval -- in the guest, of the program that it is there for
  const evaluate = eval;
  let exitCode = 0;

  function fail(error: unknown): void {
    const { name, message } = codec.describe(error);
    surroundings.print('stderr', [name === '' ? message : `${name}: ${message}`]);
    exitCode = 1;
  }

  function run(source: string, files: string): string {
    try {
      defineProperty(globalThis, '__files', { value: freeze(parse(files)), enumerable: true });
      const value: unknown = evaluate(source);
      if (value instanceof Promise) void apply(promiseThen, value, [undefined, fail]);
    } catch (error) {
      fail(error);
    }
    return '';
  }

  const finish = (): string =>
    stringify({ stdout: output.stdout, stderr: output.stderr, truncated: output.truncated, exitCode });

  return { run, fail, finish };
}

export interface Program {
  /** `files`: an object of texts by path, as JSON, which the program sees as the frozen `__files`. */
  run(source: string, files: string): string;
  /** Takes an error of something that the program left behind, such as a timer. */
  fail(error: unknown): void;
  /** `{stdout, stderr, truncated, exitCode}` as JSON. */
  finish(): string;
}
