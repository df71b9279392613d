import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADVISORIES, type PlantedAdvisory } from './advisories.fixture.ts';
import { advisoryText } from './advisory-text.ts';
import { findResidue, isThin, scrubInstruction, type ScrubContext } from './scrub-instruction.ts';

function contextOf({ context, project }: PlantedAdvisory): ScrubContext {
  return {
    projectNames: project === undefined ? [] : [project],
    knownTestNames: [],
    goldLines: [],
    advisory: { identifiers: [], sourcePaths: [], ...context },
  };
}

describe('an advisory becomes an instruction', () => {
  for (const advisory of ADVISORIES) {
    test(advisory.name, () => {
      const context = contextOf(advisory);
      const { title, body } = scrubInstruction(advisoryText(advisory), context);
      const text = `${title}\n\n${body}`;
      for (const symptom of advisory.symptom) assert.ok(text.includes(symptom), `${symptom} is lost from: ${text}`);
      for (const planted of advisory.planted) assert.ok(!text.includes(planted), `${planted} survives in: ${text}`);
      assert.deepEqual(findResidue(text, context), []);
      assert.ok(!isThin(title, body), text);
    });
  }

  test('every planted pointer stands in its advisory, so that its absence says something', () => {
    for (const { summary, details, planted, symptom } of ADVISORIES) {
      const plain = `${summary}\n${details}`.replaceAll('\u200b', '');
      for (const text of [...planted, ...symptom]) assert.ok(plain.includes(text) || text === '\u200b', text);
    }
    assert.ok(ADVISORIES.length >= 25);
  });

  test('without its sections and sentences of remedy, an advisory of nothing else is empty', () => {
    assert.equal(advisoryText({ summary: '', details: 'Upgrade to 1.2.3.\n\n### Patches\nFixed in 1.2.3.' }), '');
  });

  test('long and hostile text is no trap', { timeout: 60_000 }, () => {
    const context = {
      ...contextOf({ name: '', summary: '', details: '', symptom: [], planted: [] }),
      advisory: { identifiers: ['CVE-1-1'], sourcePaths: ['a/b.py'] },
    };
    for (const piece of [
      'a.',
      'versions ',
      '[x](',
      '## fix\n',
      '<!--',
      'a/b.py:1 ',
      '#L1',
      '**',
      'e.g. ',
      'users ',
      'a/',
      'lines 1, ',
    ]) {
      const { title, body } = scrubInstruction(
        advisoryText({ summary: piece.repeat(100), details: piece.repeat(100_000) }),
        context,
      );
      assert.deepEqual(findResidue(`${title}\n${body}`, context), []);
    }
  });
});
