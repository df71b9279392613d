/* oxlint-disable eslint/max-lines-per-function -- one function, as its text is sent into guests as a whole */
import type { Codec, CodecLimits } from '../../values/make-codec.ts';

/**
 * The part of the harness that shares a realm with a submission in JavaScript: loads it, finds the function, calls it
 * with one case and says what came of it. Its text is sent into guests, so it names nothing outside itself. Nothing
 * secret is ever in its reach: it knows one case and no expectation, so to forge its answer is to return a value.
 */
export function makeGuest(codec: Codec, limits: CodecLimits): Guest {
  const { stringify } = JSON;
  const { getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf } = Object;
  const { apply, construct } = Reflect;
  const compile = Function;
  const promiseThen = Promise.prototype.then;
  const { hasOwnProperty } = Object.prototype;
  const global = globalThis as Record<string, unknown>;
  const builtIn: unknown[] = [];
  for (const name of getOwnPropertyNames(global)) {
    const value: unknown = getOwnPropertyDescriptor(global, name)?.value;
    if (typeof value === 'function') builtIn.push(value, getOwnPropertyDescriptor(value, 'prototype')?.value);
  }
  /** Lines that stand above the submission in what is compiled. */
  const LINES_ABOVE = 2;
  const MOST_HOLDERS = 20;

  /** Top-level definitions of a submission: the name asked for, `Solution`, and its classes and constants. */
  interface Scope {
    own: unknown;
    solution: unknown;
    holders: readonly unknown[];
  }
  type Found = { callable: Function; receiver: unknown } | null;

  let found: Found = null;
  /** Settles when a submission with a top-level `await` has a function to call. */
  let loading: Promise<void> | null = null;
  let path: string[] = [];
  let scope: Scope | null = null;

  function load(source: string, functionName: string): string {
    path = functionName.split('.');
    const module = { exports: {} as unknown };
    const before = global[path[0] ?? ''];
    try {
      const collect = (own: unknown, solution: unknown, ...holders: unknown[]): void => {
        scope = { own, solution, holders };
      };
      const run = (head: string, body: string): unknown =>
        apply(compileBody(head, body), module.exports, [module, module.exports, refuseRequire, collect]);
      const lookUps = listLookUps(source);
      const started = compileAndRun(run, source, `${source}\n;__collect(${lookUps});`);
      if (started instanceof Promise) {
        loading = apply(promiseThen, started, [() => settle(module.exports, before)]);
        return '';
      }
      // It returned at its top: what stands there is asked for by a function made before.
      if (scope === null) {
        let late = (): void => undefined;
        apply(compileBody('', `__collect(() => __late(${lookUps}));${source}\n`), module.exports, [
          module,
          module.exports,
          refuseRequire,
          (look: () => void) => {
            late = look;
          },
          collect,
        ]);
        late();
      }
      settle(module.exports, before);
      return '';
    } catch (error) {
      return stringify(describeFailure(error));
    }
  }

  function compileBody(head: string, body: string): Function {
    // A function of its own within, so that a submission may declare `module`, `exports` and `require` itself.
    return compile(
      'module',
      'exports',
      'require',
      '__collect',
      '__late',
      `return (${head}function () {${body}\n}).call(this);`,
    );
  }

  /**
   * As a script; as an async one where that is the only way to read it. The outcome of the script itself counts for
   * nothing.
   */
  function compileAndRun(run: (head: string, body: string) => unknown, source: string, body: string): unknown {
    try {
      run('', body);
      return undefined;
    } catch (error) {
      if (!isSyntaxError(error) || !/\bawait\b/.test(source)) throw error;
      try {
        return run('async ', body);
      } catch (second) {
        throw isSyntaxError(second) ? error : second;
      }
    }
  }

  function isSyntaxError(error: unknown): boolean {
    return codec.describe(error).name === 'SyntaxError';
  }

  function describeFailure(error: unknown): { failed: string; syntax?: true } {
    const { name, message } = codec.describe(error);
    if (error === notFound) return { failed: message };
    const line: unknown =
      typeof error === 'object' && error !== null ? getOwnPropertyDescriptor(error, 'lineNumber')?.value : undefined;
    const where = typeof line === 'number' && line > LINES_ABOVE ? ` (line ${line - LINES_ABOVE})` : '';
    return {
      failed: `${name === '' ? 'it threw' : name}: ${message}${name === 'SyntaxError' ? where : ''}`,
      ...(name === 'SyntaxError' ? { syntax: true as const } : {}),
    };
  }

  /**
   * Expressions that are safe whatever of it exists: the root of the name, `Solution`, and classes and constants at the
   * start of a line.
   */
  function listLookUps(source: string): string {
    const names = [path[0] ?? '', 'Solution'];
    const definitions = /^(?:class[ \t]+([\w$]+)[ \t\r\n]*(?:\{|extends\b)|(?:const|let|var)[ \t]+([\w$]+)[ \t]*=)/gm;
    for (
      let match = definitions.exec(source);
      match !== null && names.length < MOST_HOLDERS;
      match = definitions.exec(source)
    ) {
      const name = match[1] ?? match[2] ?? '';
      if (isIdentifier(name)) names.push(name);
    }
    return names.map((name) => `typeof ${name} === 'undefined' ? undefined : ${name}`).join(',');
  }

  function isIdentifier(name: string): boolean {
    try {
      compile(`'use strict'; typeof ${name};`);
      return true;
    } catch {
      return false;
    }
  }

  const notFound: { message: string } = { message: '' };

  function settle(exports: unknown, before: unknown): void {
    found = find(exports, before);
    if (found !== null) return;
    notFound.message = `the submission defines no function ${path.join('.')}`;
    throw notFound;
  }

  function refuseRequire(name: unknown): never {
    throw new Error(`${typeof name === 'string' ? name : 'a module'} cannot be imported here`);
  }

  /**
   * The function itself, then what the module exports under the name, then what a class has under it, then the only
   * thing that is exported.
   */
  function find(exports: unknown, before: unknown): Found {
    const root = path[0] ?? '';
    const { own, solution, holders } = scope ?? { own: undefined, solution: undefined, holders: [] };
    const standard = member(exports, 'default');
    const defined = [own, global[root]].filter(
      (value) => value !== undefined && value !== before && value !== refuseRequire && !builtIn.includes(value),
    );
    for (const candidate of [...defined, member(exports, root), member(standard, root)]) {
      const result = path.length === 1 ? asFunction(candidate) : inside(candidate, path.slice(1));
      if (result) return result;
    }
    if (path.length > 1) return null;
    for (const holder of [solution, standard, exports, ...values(exports), ...holders]) {
      const result = isClass(holder) || typeof holder === 'object' ? method(holder, root) : null;
      if (result) return result;
    }
    for (const only of [exports, standard])
      if (typeof only === 'function' && !isClass(only)) return { callable: only, receiver: undefined };
    return null;
  }

  function asFunction(value: unknown): Found {
    return typeof value === 'function' ? { callable: value, receiver: undefined } : null;
  }

  function inside(holder: unknown, rest: string[]): Found {
    let current = holder;
    for (const part of rest.slice(0, -1)) current = member(current, part);
    return method(current, rest[rest.length - 1] ?? '');
  }

  /** A static method, a method of an object, or a method of an instance that a class makes without arguments. */
  function method(holder: unknown, name: string): Found {
    const direct = member(holder, name);
    if (typeof direct === 'function') return { callable: direct, receiver: holder };
    if (typeof holder !== 'function') return null;
    const inherited = member(member(holder, 'prototype'), name);
    return typeof inherited === 'function' ? { callable: inherited, receiver: construct(holder, []) } : null;
  }

  function isClass(value: unknown): boolean {
    return typeof value === 'function' && getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
  }

  /** Reads an own member, or one inherited from the submission's classes: not `toString`, which every object has. */
  function member(holder: unknown, name: string): unknown {
    for (
      let at = holder;
      (typeof at === 'object' || typeof at === 'function') && at !== null && !builtIn.includes(at);
      at = getPrototypeOf(at)
    ) {
      if (apply(hasOwnProperty, at, [name])) return (holder as Record<string, unknown>)[name];
    }
    return undefined;
  }

  function values(holder: unknown): unknown[] {
    if (typeof holder !== 'object' || holder === null) return [];
    return getOwnPropertyNames(holder).map((key) => (holder as Record<string, unknown>)[key]);
  }

  function call(input: string, answer: (outcome: string) => void): void {
    const throwing = (error: unknown): void => {
      // An engine that has no memory left for an error throws null.
      const { name, message } =
        error === null ? { name: '', message: 'null, as when memory runs out' } : codec.describe(error);
      answer(`{"thrown":${stringify({ name, message })}}`);
    };
    const returning = (value: unknown): void => {
      try {
        answer(`{"returned":${codec.encode(value, limits)}}`);
      } catch (error) {
        const refusal = codec.refusal(error);
        if (refusal === null) throwing(error);
        else answer(stringify({ failed: `the result cannot be taken: ${refusal}` }));
      }
    };
    const start = (): void => {
      try {
        if (!found) throw new Error('nothing is loaded');
        const result: unknown = apply(found.callable, found.receiver, codec.decode(input) as unknown[]);
        // Whatever is thenable is awaited, as `await` would. A promise answers once.
        if (isThenable(result)) void apply(promiseThen, Promise.resolve(result), [returning, throwing]);
        else returning(result);
      } catch (error) {
        throwing(error);
      }
    };
    if (loading === null) start();
    else void apply(promiseThen, loading, [start, (error: unknown) => answer(stringify(describeFailure(error)))]);
  }

  function isThenable(value: unknown): boolean {
    return (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      typeof (value as { then?: unknown }).then === 'function'
    );
  }

  return { load, call };
}

export interface Guest {
  /** The empty text, or an outcome that says why there is nothing to call. */
  load(source: string, functionName: string): string;
  /** Answers, at once or later, with one outcome as JSON: `returned` with a tagged value, `thrown` or `failed`. */
  call(input: string, answer: (outcome: string) => void): void;
}
