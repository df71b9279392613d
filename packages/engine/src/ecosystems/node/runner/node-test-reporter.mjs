import { randomBytes } from 'node:crypto';

export const OPENING = `assay ${randomBytes(16).toString('hex')}`;

let adopted = null;

/** Gives the reporter its channel; works once. */
export function adopt(emit, file) {
  if (adopted !== null) throw new Error('the reporter has its channel already');
  adopted = { emit, file, taken: false };
}

/**
 * Reports the tests of one file in the order in which they are written. Only the first stream is believed: node's own.
 */
export default async function* report(source) {
  if (adopted === null || adopted.taken) return;
  adopted.taken = true;
  const { emit, file } = adopted;
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      names.length = data.nesting;
      names[data.nesting] = data.name;
    } else if (type === 'test:pass' || type === 'test:fail') {
      names.length = data.nesting;
      if (data.name === OPENING) continue;
      const status = statusOf(type, data);
      const title = [...names, data.name].join(' > ');
      if (status !== null) emit('test', { file, title, status, durationMs: data.details?.duration_ms ?? 0 });
      if (type === 'test:fail') yield `${title}\n${describe(data.details?.error)}\n`;
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      yield data.message;
    } else if (type === 'test:diagnostic' && /^(?:Error|Warning): /.test(data.message)) {
      // What was thrown outside of every test, such as a module that is not there.
      yield `${data.message}\n`;
    }
  }
  emit('end', {});
}

/** Null for a suite: its tests are the records, unless a hook of its own failed. */
function statusOf(type, { details, skip, todo, expectFailure }) {
  const passed = type === 'test:pass';
  if (details?.type === 'suite') {
    return passed || details.error?.failureType === 'subtestsFailed' ? null : 'error';
  }
  if (skip !== undefined && skip !== false) return 'skipped';
  if (todo !== undefined && todo !== false) return passed ? 'xpassed' : 'xfailed';
  if (expectFailure !== undefined && expectFailure !== false) return passed ? 'xfailed' : 'failed';
  return passed ? 'passed' : 'failed';
}

function describe(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause).slice(0, 2000);
}
