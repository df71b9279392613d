'use strict';

const STATUSES = {
  passed: 'passed',
  failed: 'failed',
  pending: 'skipped',
  skipped: 'skipped',
  disabled: 'skipped',
  todo: 'skipped',
  focused: 'skipped',
};
const write = process.stderr.write.bind(process.stderr);
let adopted = null;

/** Gives the reporter its channel; works once. */
function adopt(emit) {
  if (adopted !== null) throw new Error('the reporter has its channel already');
  adopted = { emit, taken: false };
}

class Reporter {
  #emit;

  constructor() {
    if (adopted === null || adopted.taken) throw new Error('there is one reporter');
    adopted.taken = true;
    this.#emit = adopted.emit;
  }

  onTestResult(_test, result) {
    for (const { message } of result.console ?? []) write(`${message}\n`);
    const file = result.testFilePath;
    if (result.testExecError || (result.failureMessage && result.testResults.length === 0)) {
      this.#emit('uncollected', {
        file,
        detail: plain(result.failureMessage ?? result.testExecError?.message).slice(0, 2000),
      });
    }
    for (const test of result.testResults) {
      const title = [...test.ancestorTitles, test.title].join(' > ');
      this.#emit('test', { file, title, status: statusOf(test), durationMs: test.duration ?? 0 });
      for (const message of test.failureMessages ?? []) write(`${title}\n${plain(message).slice(0, 2000)}\n`);
    }
  }

  onRunComplete() {
    this.#emit('end', {});
  }
}

function statusOf({ status, invocations, failing }) {
  if (status === 'passed' && (invocations ?? 1) > 1) return 'failed';
  if (status === 'passed' && failing === true) return 'xfailed';
  return STATUSES[status] ?? 'failed';
}

function plain(text) {
  // eslint-disable-next-line no-control-regex
  return String(text).replace(/\u001b\[[0-9;]*m/g, '');
}

module.exports = Reporter;
module.exports.adopt = adopt;
