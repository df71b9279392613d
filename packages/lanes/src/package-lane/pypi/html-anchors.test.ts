import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseIndex } from './parse-index.ts';
import { readAnchors } from './html-anchors.ts';

const MEGABYTES = 4_000_000;

describe('project pages in HTML', () => {
  test('anchors as indexes write them', () => {
    const { base, anchors } = readAnchors(`<!DOCTYPE html><BASE HREF='/files/'><body>
      <A class=x HREF="a-1.whl#sha256=00" data-requires-python="&gt;=3.8"> a-1.whl </A ><abbr title="no">x</abbr>
      <a data-requires-python=">=3.6,<4" data-yanked href='b-1.whl'>b&#45;1.whl</a><a>no space</a>`);
    assert.equal(base, '/files/');
    assert.deepEqual(
      anchors.map(({ label, attributes }) => [label, Object.fromEntries(attributes)]),
      [
        ['a-1.whl', { class: 'x', href: 'a-1.whl#sha256=00', 'data-requires-python': '>=3.8' }],
        ['b-1.whl', { 'data-requires-python': '>=3.6,<4', 'data-yanked': '', href: 'b-1.whl' }],
      ],
    );
    const [file] = parseIndex({
      contentType: 'text/html',
      url: new URL('http://127.0.0.1/simple/a/'),
      body: Buffer.from('<base href="/files/"><a href="a-1.whl#sha256=00">a-1.whl</a>'),
    });
    assert.equal(file?.url.href, 'http://127.0.0.1/files/a-1.whl');
  });

  // Each of these takes hours where every opening tag is followed to the end of the page.
  for (const [what, piece] of [
    ['tags that never end', '<a '],
    ['anchors that never end', '<a >'],
    ['quotes that never end', '<a x="'],
    ['bases that never end', '<base '],
    ['entities', '&aaaa'],
    ['spaces', '<a >x</a      '],
  ] as const) {
    test(`a page of nothing but ${what} is read to its end`, () => {
      const { anchors } = readAnchors(piece.repeat(MEGABYTES / piece.length));
      assert.deepEqual(anchors, []);
    });
  }
});
