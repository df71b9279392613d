'use strict';

let adopted = null;

/** Gives the reporter its channel; works once. */
function adopt(emit, root) {
  if (adopted !== null) throw new Error('the reporter has its channel already');
  adopted = { emit, root, taken: false };
}

/**
 * What mocha calls with `new` when it has loaded the tests. Records are kept until the run is over, because a hook can
 * still spoil a test that has passed.
 */
function Reporter(runner) {
  if (adopted === null || adopted.taken) throw new Error('there is one reporter');
  adopted.taken = true;
  const { emit, root } = adopted;
  const records = new Map();
  const write = process.stderr.write.bind(process.stderr);

  const note = (test, status) => {
    const record = records.get(test) ?? {
      file: fileOf(test, root),
      title: test.titlePath().join(' > '),
      status,
      durationMs: 0,
    };
    record.durationMs = test.duration ?? record.durationMs;
    if (record.status === 'passed' || status === 'error') record.status = status;
    records.set(test, record);
  };
  runner.on('pass', (test) => note(test, test.currentRetry() > 0 ? 'failed' : 'passed'));
  runner.on('pending', (test) => note(test, 'skipped'));
  runner.on('fail', (test, error) => {
    write(`${test.fullTitle()}\n${String(error?.stack ?? error?.message ?? error).slice(0, 2000)}\n`);
    const isHook = test.type === 'hook';
    note((isHook && test.ctx?.currentTest) || test, isHook ? 'error' : 'failed');
  });
  runner.once('end', () => {
    for (const record of records.values()) emit('test', record);
    emit('end', {});
  });
}

/** A hook of the root suite knows no file. */
function fileOf(runnable, root) {
  for (let node = runnable; node; node = node.parent) if (node.file) return node.file;
  return root;
}

module.exports = Reporter;
module.exports.adopt = adopt;
