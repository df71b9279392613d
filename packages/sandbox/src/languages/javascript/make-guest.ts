import type { Codec, CodecLimits } from '../../values/make-codec.ts';

/**
 * The part of the harness that shares a realm with a submission in JavaScript: loads it, finds the function, calls it with one case and
 * says what came of it. Its text is sent into guests, so it names nothing outside itself. Nothing secret is ever in its reach: it knows one
 * case and no expectation, so to forge its answer is to return a value.
 */
export function makeGuest(codec: Codec, limits: CodecLimits): Guest {
  const { parse, stringify } = JSON;
  const { getOwnPropertyDescriptor } = Object;
  const { apply, construct } = Reflect;
  const compile = Function;
  const promiseThen = Promise.prototype.then;
  const { hasOwnProperty } = Object.prototype;
  const before: Record<string, unknown> = {};
  let found: { callable: Function; receiver: unknown } | null = null;

  function load(source: string, functionName: string): string {
    const path = functionName.split('.');
    const root = path[0] ?? '';
    before[root] = (globalThis as Record<string, unknown>)[root];
    const module = { exports: {} as unknown };
    const lookUp = (name: string): string => `typeof ${name} === 'undefined' ? undefined : ${name}`;
    const body = `${source}\n;return { own: ${lookUp(root)}, solution: ${lookUp('Solution')} };`;
    let scope: { own: unknown; solution: unknown };
    try {
      const run = compile('module', 'exports', 'require', body);
      scope = run.call(module.exports, module, module.exports, refuseRequire) as typeof scope;
    } catch (error) {
      const { name, message } = codec.describe(error);
      return stringify({ failed: `${name}: ${message}`, syntax: name === 'SyntaxError' });
    }
    found = find(path, scope, module.exports);
    if (found === null) return stringify({ failed: `the submission defines no function ${functionName}` });
    return '';
  }

  function refuseRequire(name: unknown): never {
    throw new Error(`${typeof name === 'string' ? name : 'a module'} cannot be imported here`);
  }

  /** The function itself, then what the module exports under the name, then what a class has under it, then the only thing that is exported. */
  function find(path: string[], scope: { own: unknown; solution: unknown }, exports: unknown): typeof found {
    const root = path[0] ?? '';
    const last = path[path.length - 1] ?? '';
    const standard = member(exports, 'default');
    const candidates = [scope.own, (globalThis as Record<string, unknown>)[root]].filter((value) => value !== undefined && value !== before[root]);
    candidates.push(member(exports, root), member(standard, root));
    for (const candidate of candidates) {
      const result = path.length === 1 ? asFunction(candidate) : inside(candidate, path.slice(1));
      if (result) return result;
    }
    if (path.length > 1) return null;
    const holders = [scope.solution, standard, exports, ...values(exports)];
    for (const holder of holders) if (isClass(holder)) return method(holder, last);
    for (const only of [exports, standard]) if (typeof only === 'function') return { callable: only, receiver: undefined };
    return null;
  }

  function asFunction(value: unknown): typeof found {
    return typeof value === 'function' ? { callable: value, receiver: undefined } : null;
  }

  function inside(holder: unknown, path: string[]): typeof found {
    let current = holder;
    for (const part of path.slice(0, -1)) current = member(current, part);
    return method(current, path[path.length - 1] ?? '');
  }

  /** A static method, a method of an object, or a method of an instance that a class makes without arguments. */
  function method(holder: unknown, name: string): typeof found {
    const direct = member(holder, name);
    if (typeof direct === 'function') return { callable: direct, receiver: holder };
    if (typeof holder !== 'function') return null;
    const inherited = member(member(holder, 'prototype'), name);
    return typeof inherited === 'function' ? { callable: inherited, receiver: construct(holder, []) } : null;
  }

  function isClass(value: unknown): boolean {
    return typeof value === 'function' && getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
  }

  function member(holder: unknown, name: string): unknown {
    if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) return undefined;
    return (holder as Record<string, unknown>)[name];
  }

  function values(holder: unknown): unknown[] {
    if (typeof holder !== 'object' || holder === null) return [];
    const list: unknown[] = [];
    for (const key in holder) if (apply(hasOwnProperty, holder, [key])) list.push((holder as Record<string, unknown>)[key]);
    return list;
  }

  function call(input: string, answer: (outcome: string) => void): void {
    const throwing = (error: unknown): void => {
      const { name, message } = codec.describe(error);
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
    try {
      if (!found) throw new Error('nothing is loaded');
      const result: unknown = apply(found.callable, found.receiver, codec.decode(input) as unknown[]);
      // Whatever is thenable is awaited, as `await` would. A promise answers once.
      if (typeof member(result, 'then') === 'function') apply(promiseThen, Promise.resolve(result), [returning, throwing]);
      else returning(result);
    } catch (error) {
      throwing(error);
    }
  }

  return { load, call, parse };
}

export interface Guest {
  /** The empty text, or an outcome that says why there is nothing to call. */
  load(source: string, functionName: string): string;
  /** Answers, at once or later, with one outcome as JSON: `returned` with a tagged value, `thrown` or `failed`. */
  call(input: string, answer: (outcome: string) => void): void;
  /** The one that nobody has replaced. */
  parse(text: string): unknown;
}
