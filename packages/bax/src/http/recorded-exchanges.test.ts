import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { play, readCases, type ExchangeCase, type Recorded, type RecordedResult } from './testing/recorded-exchange.ts';

/** The failures that each exception of python-requests may be. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  ConnectionError: ['refused', 'closed', 'garbage', 'elsewhere'],
  ChunkedEncodingError: ['incomplete'],
  ContentDecodingError: ['undecodable'],
  TooManyRedirects: ['redirects'],
  InvalidHeader: ['request', 'garbage'],
  InvalidSchema: ['elsewhere'],
  UnicodeEncodeError: ['request'],
};

/** Where ours differs on purpose: nobody but the application is spoken to, over no other protocol. */
const NOT_FOLLOWED = new Set(['redirect elsewhere 1', 'redirect elsewhere 4']);

const cases = await readCases<ExchangeCase>('exchange-cases.json');
const recorded = new Map((await readCases<Recorded>('recorded-exchanges.json')).map((each) => [each.name, each]));

function assertSame(ours: RecordedResult | undefined, theirs: RecordedResult): void {
  if ('error' in theirs) {
    assert.ok(ours !== undefined && 'error' in ours, `an answer where python-requests raises ${theirs.error}`);
    assert.ok(KINDS[theirs.error]?.includes(ours.error), `${ours.error} where python-requests raises ${theirs.error}`);
  } else {
    const text = theirs.text === null && ours !== undefined && 'text' in ours ? ours.text : theirs.text;
    assert.deepEqual(ours, { ...theirs, text });
  }
}

describe('the recorded exchanges of python-requests', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-http-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('are recorded for every case', () => {
    assert.deepEqual(
      cases.map((each) => each.name),
      [...recorded.keys()],
    );
  });

  for (const each of cases) {
    it(each.name, async () => {
      const theirs = recorded.get(each.name);
      assert.ok(theirs);
      const ours = await play(directory, each);
      if (NOT_FOLLOWED.has(each.name)) {
        assert.deepEqual(ours.results, [{ error: 'elsewhere' }]);
        return;
      }
      assert.deepEqual(ours.sent, theirs.sent);
      assert.equal(ours.results.length, theirs.results.length);
      for (const [index, result] of theirs.results.entries()) assertSame(ours.results[index], result);
    });
  }
});
