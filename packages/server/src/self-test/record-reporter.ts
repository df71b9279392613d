import { inspect } from 'node:util';
import type { TestEvent } from 'node:test/reporters';
import type { TestEnd } from './test-record.ts';

/** A reporter for `node --test-reporter`: a JSON line for each test that ended, suites left out, then `"end"`. */
// oxlint-disable-next-line import/no-default-export -- node takes a reporter's default export
export default async function* recordReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') {
      titles.length = event.data.nesting;
      titles.push(event.data.name);
    } else if (event.type === 'test:pass' || event.type === 'test:fail') {
      const record = toRecord(event, [...titles.slice(0, event.data.nesting), event.data.name]);
      if (record) yield `${JSON.stringify(record)}\n`;
    }
  }
  yield '"end"\n';
}

function toRecord(event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>, path: string[]): TestEnd | null {
  const { skip, details } = event.data;
  if (skip !== undefined && skip !== false)
    return { path, status: 'skipped', detail: typeof skip === 'string' ? skip : '' };
  if (event.type === 'test:fail') {
    const { error } = event.data.details;
    // Its failing tests have records of their own.
    if ('failureType' in error && error.failureType === 'subtestsFailed') return null;
    return { path, status: 'failed', detail: inspect(error.cause ?? error) };
  }
  return details.type === 'suite' ? null : { path, status: 'passed', detail: '' };
}
