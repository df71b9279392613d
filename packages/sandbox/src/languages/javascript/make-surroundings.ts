/* oxlint-disable eslint/max-lines-per-function -- one function, as its text is sent into guests as a whole */
/**
 * Makes what a bare JavaScript engine lacks and submissions take for granted: console, timers, `structuredClone`. Time
 * is virtual and chance is seeded, so that two runs are the same: the clock moves by a millisecond each time it is
 * read, and jumps to the next timer when nothing else is to be done. Its text is sent into guests, so it names nothing
 * outside itself.
 */
export function makeSurroundings(outputCharacters: number): Surroundings {
  const global = globalThis as Record<string, unknown>;
  const RealDate = Date;
  const { construct } = Reflect;
  let now = RealDate.UTC(2024, 0, 1);
  let seed = 0x2545f491;
  let nextTimer = 1;
  let room = outputCharacters;
  let timers: { id: number; at: number; every: number | null; run: () => void }[] = [];
  const output = { stdout: '', stderr: '', truncated: false };

  const define = (holder: object, name: string, value: unknown): void => {
    Object.defineProperty(holder, name, { value, writable: true, configurable: true, enumerable: false });
  };

  function show(value: unknown): string {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null) return String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    try {
      return JSON.stringify(value) ?? '[object]';
    } catch {
      return '[object]';
    }
  }

  function print(stream: 'stdout' | 'stderr', values: unknown[]): void {
    let line = '';
    for (let index = 0; index < values.length; index += 1) line += `${index === 0 ? '' : ' '}${show(values[index])}`;
    line += '\n';
    if (line.length > room) output.truncated = true;
    line = line.slice(0, room);
    room -= line.length;
    output[stream] += line;
  }

  function addTimer(callback: unknown, delay: unknown, repeat: boolean, given: unknown[]): number {
    if (typeof callback !== 'function') throw new TypeError('a timer needs a function');
    const milliseconds = Math.max(1, Math.min(2 ** 31 - 1, Number(delay) || 0));
    const id = nextTimer++;
    timers.push({
      id,
      at: now + milliseconds,
      every: repeat ? milliseconds : null,
      run: () => void (callback as (...given: unknown[]) => unknown)(...given),
    });
    return id;
  }

  function tick(): boolean {
    let first: (typeof timers)[number] | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    if (first === undefined) return false;
    const due = first;
    now = Math.max(now, due.at);
    if (due.every === null) timers = timers.filter((timer) => timer !== due);
    else due.at = now + due.every;
    due.run();
    return true;
  }

  function random(): number {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return (seed >>> 0) / 2 ** 32;
  }

  function clone(value: unknown, known: Map<object, unknown>): unknown {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new Error(`${String(value)} could not be cloned.`);
    if (typeof value !== 'object' || value === null) return value;
    if (known.has(value)) return known.get(value);
    const keep = <T>(copy: T): T => {
      known.set(value, copy);
      return copy;
    };
    if (value instanceof RealDate) return keep(new RealDate(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return keep((value as Uint8Array).slice());
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, item] of value) copy.set(clone(key, known), clone(item, known));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of value) copy.add(clone(item, known));
      return copy;
    }
    if (value instanceof Error) return keep(Object.assign(new Error(value.message), { name: value.name }));
    const copy = keep((Array.isArray(value) ? new Array(value.length) : {}) as Record<string, unknown>);
    for (const key of Object.keys(value)) define(copy, key, clone((value as Record<string, unknown>)[key], known));
    for (const key of Object.keys(value)) Object.defineProperty(copy, key, { enumerable: true });
    return copy;
  }

  const read = (): number => (now += 1);
  const console: Record<string, unknown> = {};
  for (const name of ['log', 'info', 'debug', 'table', 'dir', 'group', 'count', 'time', 'timeEnd', 'timeLog'])
    console[name] = (...values: unknown[]) => print('stdout', values);
  for (const name of ['error', 'warn', 'trace', 'assert'])
    console[name] = (...values: unknown[]) => print('stderr', values);
  console['groupEnd'] = () => undefined;
  define(global, 'console', console);
  define(global, 'setTimeout', (callback: unknown, delay: unknown, ...given: unknown[]) =>
    addTimer(callback, delay, false, given),
  );
  define(global, 'setInterval', (callback: unknown, delay: unknown, ...given: unknown[]) =>
    addTimer(callback, delay, true, given),
  );
  define(global, 'setImmediate', (callback: unknown, ...given: unknown[]) => addTimer(callback, 0, false, given));
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate'])
    define(global, name, (id: unknown) => {
      timers = timers.filter((timer) => timer.id !== id);
    });
  define(global, 'queueMicrotask', (work: () => void) => void Promise.resolve().then(work));
  define(global, 'structuredClone', (value: unknown) => clone(value, new Map()));
  define(global, 'performance', { now: () => read() - RealDate.UTC(2024, 0, 1) });
  define(Math, 'random', random);
  define(RealDate, 'now', read);
  const virtual = new Proxy(RealDate, {
    construct: (target, given, newTarget: Function) =>
      construct(target, given.length === 0 ? [read()] : given, newTarget) as object,
    apply: () => new RealDate(read()).toString(),
  });
  define(RealDate.prototype, 'constructor', virtual);
  define(global, 'Date', virtual);
  return { tick, print, output };
}

export interface Surroundings {
  /** Runs the next timer. False when there is none. */
  tick(): boolean;
  print(stream: 'stdout' | 'stderr', values: unknown[]): void;
  output: { stdout: string; stderr: string; truncated: boolean };
}
