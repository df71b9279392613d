/**
 * Reports the tests of a run in the order in which they are written. Works with the reporter interfaces of vitest 0.34
 * to 5.
 */
export class VitestReporter {
  #emit;
  #asked;
  #ended = false;
  #write = process.stderr.write.bind(process.stderr);

  /** `asked`: absolute paths of the files that shall run. Empty means the whole suite. */
  constructor(emit, asked) {
    this.#emit = emit;
    this.#asked = asked;
  }

  /** Until vitest 3. */
  onFinished(files = []) {
    this.#report(files);
  }

  /** Since vitest 3. */
  onTestRunEnd(modules) {
    this.#report(modules.map((module) => module.task));
  }

  onUserConsoleLog({ content }) {
    this.#write(content);
  }

  /** Ends a run of which vitest reported nothing, as when none of the files is part of the suite. */
  finish() {
    this.#report([]);
  }

  #report(files) {
    if (this.#ended) return;
    this.#ended = true;
    for (const file of files) {
      this.#reportTasks(file.filepath, [], file.tasks ?? []);
      const [error] = file.result?.errors ?? [];
      if (error) this.#emit('uncollected', { file: file.filepath, detail: this.#describe(file.filepath, error) });
    }
    const reported = new Set(files.map((file) => file.filepath));
    for (const file of this.#asked)
      if (!reported.has(file))
        this.#emit('uncollected', {
          file,
          detail:
            'vitest did not run it: its configuration does not take it for a test file, or something went wrong before',
        });
    this.#emit('end', {});
  }

  #reportTasks(file, names, tasks) {
    for (const task of tasks) {
      const titles = [...names, task.name];
      const title = titles.join(' > ');
      const status = statusOf(task);
      for (const error of task.result?.errors ?? []) this.#describe(title, error);
      if (status !== null) this.#emit('test', { file, title, status, durationMs: task.result?.duration ?? 0 });
      if (task.type === 'suite') this.#reportTasks(file, titles, task.tasks);
    }
  }

  #describe(title, error) {
    const text = String(error?.stack ?? error?.message ?? error).slice(0, 2000);
    this.#write(`${title}\n${text}\n`);
    return text;
  }
}

/** Null: no record. A suite has one only when a hook of its own failed. */
function statusOf({ type, mode, fails, result }) {
  const state = result?.state;
  if (type === 'suite') return (result?.errors?.length ?? 0) > 0 ? 'error' : null;
  if (mode === 'skip' || mode === 'todo' || state === 'skip') return 'skipped';
  if (state === 'fail') return 'failed';
  if (state !== 'pass') return null;
  if ((result.retryCount ?? 0) > 0) return 'failed';
  return fails ? 'xfailed' : 'passed';
}
