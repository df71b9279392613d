import { isAbsolute, join } from 'node:path';

/** What keeps a file from saying how all of its tests end. */
const BREAKS = new Set([
  'uncaught-exception',
  'unhandled-rejection',
  'worker-failed',
  'process-exit',
  'missing-ava-import',
  'internal-error',
  'line-number-selection-error',
]);

/** Reports the tests of a run from the events of ava 3 to 6. Records are kept until the run is over: a hook spoils a test. */
export class AvaReporter {
  #emit;
  #root;
  #asked;
  #files = new Map();
  #broken = new Map();
  #ended = false;
  #write = process.stderr.write.bind(process.stderr);

  /** `asked`: paths of the files that shall run, relative to `root`. Empty means the whole suite. */
  constructor(emit, root, asked) {
    this.#emit = emit;
    this.#root = root;
    this.#asked = asked;
  }

  note(event) {
    const { type, testFile, title } = event;
    if (type === 'timeout') for (const file of this.#files.keys()) this.#break(file, 'its tests outlast their time');
    if (typeof testFile !== 'string') return;
    if (BREAKS.has(type)) return this.#break(testFile, `${type}: ${describe(event.err)}`);
    if (type === 'declared-test') return void this.#testsOf(testFile);
    // One that is selected and comes to no end is the victim of a hook.
    if (type === 'selected-test') this.#set(event, event.skip || event.todo ? 'skipped' : 'error');
    else if (type === 'test-passed') this.#set(event, event.knownFailing ? 'xfailed' : 'passed');
    else if (type === 'test-failed') this.#set(event, 'failed');
    else if (type === 'hook-failed') this.#spoil(event);
    if (type === 'test-failed' || type === 'hook-failed') this.#write(`${title}\n${describe(event.err)}\n`);
  }

  finish() {
    if (this.#ended) return;
    this.#ended = true;
    for (const [file, tests] of this.#files)
      for (const [title, { status, durationMs }] of tests) this.#emit('test', { file, title, status, durationMs });
    for (const file of this.#asked.map((each) => join(this.#root, each)))
      if (!this.#files.has(file))
        this.#break(file, 'ava ran no test of it: it has none, or is none by its configuration');
    for (const [file, detail] of this.#broken) this.#emit('uncollected', { file, detail });
    this.#emit('end', {});
  }

  #testsOf(file) {
    const path = isAbsolute(file) ? file : join(this.#root, file);
    if (!this.#files.has(path)) this.#files.set(path, new Map());
    return this.#files.get(path);
  }

  #set({ testFile, title, duration }, status) {
    this.#testsOf(testFile).set(String(title), { status, durationMs: duration ?? 0 });
  }

  /** The title says which test a hook belongs to: `afterEach hook for it`. A hook of the whole file has its own record. */
  #spoil({ testFile, title }) {
    const tests = this.#testsOf(testFile);
    const victim = [...tests.keys()].find((each) => String(title).endsWith(` for ${each}`));
    if (victim === undefined) tests.set(String(title), { status: 'error', durationMs: 0 });
    else if (tests.get(victim).status === 'passed') tests.set(victim, { status: 'error', durationMs: 0 });
  }

  #break(file, detail) {
    const path = isAbsolute(file) ? file : join(this.#root, file);
    if (!this.#broken.has(path)) this.#broken.set(path, detail.slice(0, 2000));
  }
}

function describe(error) {
  const cause = error?.error ?? error;
  return String(cause?.stack ?? cause?.message ?? error?.summary ?? 'no more is told').slice(0, 2000);
}
