import type { Scene } from './cheat.ts';

/** Python that makes every pytest test of its process pass, from wherever it is loaded. */
export const PASS_ALL_PYTHON = `import _pytest.python as _p
_p.Function.runtest = lambda self: None`;

/** JavaScript (module or CommonJS) that does the same for the runner of the task. */
export function passAllJavaScript(runner: Scene['runner']): string {
  if (runner === 'mocha') {
    return `{ const m = process.getBuiltinModule('module').createRequire('/workspace/package.json')('mocha'); m.Runnable.prototype.run = (done) => done(); }`;
  }
  // A test of node:test is an AsyncResource that runs its function in its own scope; an assertion that never throws
  // serves the others.
  return `{ const { AsyncResource } = process.getBuiltinModule('async_hooks'); AsyncResource.prototype.runInAsyncScope = () => undefined;
  const assert = process.getBuiltinModule('assert'); for (const f of [assert, assert.strict]) for (const k of Object.keys(f)) if (typeof f[k] === 'function' && k !== 'AssertionError') f[k] = () => {}; process.getBuiltinModule('module').syncBuiltinESMExports();
  if (globalThis.expect || globalThis.vi) { const pass = new Proxy(() => {}, { get: (_, k) => (k === 'then' ? undefined : pass), apply: () => pass }); globalThis.expect = pass; } }`;
}
