import path from 'node:path';
import { Script } from 'node:vm';
import { compareChai } from './compare/chai.mjs';
import { compareNodeAssert } from './compare/node-assert.mjs';
import { compareResponse } from './compare/supertest.mjs';

const NAMES = ['$', '$k', '$r', '$m', '$a', '$c', '$s', '$expect', '$named', '$path'];
const RUN = '$assayRun';
const run = new Script(`globalThis.${RUN}()`);
const compiled = new Map();

/** Loaded only where it is needed: it takes longer than the comparing. */
let jest = null;

/** Gets ready for the expectations of a plan. */
export async function prepare({ sites }) {
  const isNeeded = Object.values(sites).some(({ code }) => /\$(?:m\(|expect\.)/.test(code));
  if (isNeeded) jest = await import('./compare/jest.mjs');
}

/** What went on for too long. */
export class TimeLimitError extends Error {}

/** Runs a function, and stops it after some time, even within a regular expression. Throws {@link TimeLimitError}. */
export function withTimeLimit(timeLimitMs, body) {
  globalThis[RUN] = body;
  try {
    return run.runInThisContext({ timeout: Math.max(1, Math.round(timeLimitMs)) });
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeLimitError('the comparison takes too long');
    throw error;
  }
}

/** Values of a row's columns, made anew whenever they are read. */
export function rowOf({ columns }, indices) {
  const row = {};
  for (const [number, { table, cells }] of columns.entries()) {
    const code = cells[indices[table] ?? 0] ?? 'undefined';
    Object.defineProperty(row, number, { get: () => evaluate(code, {}) });
  }
  return row;
}

/**
 * Whether an observation satisfies an expectation. `isAnyClass`: a value counts as an instance of every class that is
 * known by its name only.
 */
export function satisfies({ code }, { kind, leaves, row, isAnyClass = false }) {
  return evaluate(code, { kind, leaves, row, isAnyClass }) === true;
}

/** The value of code that `print-pure.mjs` printed. */
export function evaluate(code, { kind, leaves, row, isAnyClass = false }) {
  if (!compiled.has(code))
    compiled.set(code, new Script(`(function(${NAMES.join(',')}){return (${code})})`).runInThisContext());
  return compiled.get(code)(
    leaves,
    kind,
    row,
    (matcher, isNot, settle, of, actual, args) => jest.compareJest(matcher, isNot, settle, { kind: of, actual, args }),
    compareNodeAssert,
    compareChai,
    compareResponse,
    jest?.expect,
    (name) => classOf(name, isAnyClass),
    path,
  );
}

/** Stands for a class of the submission: what has its name among those of its classes is an instance. */
function classOf(name, isAnyClass) {
  return class extends Error {
    static [Symbol.hasInstance](value) {
      if (value === null || typeof value !== 'object') return false;
      if (isAnyClass) return true;
      for (let at = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
        const { value: constructor } = Object.getOwnPropertyDescriptor(at, 'constructor') ?? {};
        if (typeof constructor === 'function' && constructor.name === name) return true;
      }
      return false;
    }
  };
}
