import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Rewritten, StrippedFunction } from '../../ecosystems/split-facet.ts';
import { Calibration } from './calibration.ts';
import { Placement, showsMore } from './placement.ts';

/** A function whose test has its name, with one site that can be compared outside. */
const outside = (name: string, more: Partial<StrippedFunction> = {}): StrippedFunction => ({
  ids: [name],
  base: name,
  sites: [1],
  visible: false,
  ...more,
});
const INSIDE = { sites: [2] };
const SEEN = { visible: true };

function place(functions: StrippedFunction[], hiddenElsewhere: string[] = []): { wanted: string[]; together: boolean } {
  const ids = functions.flatMap((each) => each.ids);
  const required = new Set([...ids, ...hiddenElsewhere, 'at T0']);
  const tests = { ids, failToPass: new Set(['fix']), required, isHidden: (id: string) => id !== 'at T0' };
  const placement = new Placement(tests, new Calibration());
  const sites = [1, 2].map((id) => ({ id, file: 'a', line: 1, form: '', ...(id === 2 ? { native: 'no' } : {}) }));
  const rewritten: Rewritten = { files: [], functions, sites, expectations: {}, problems: [] };
  const wanted = placement.wanted(rewritten).flatMap((each) => each.ids);
  assert.deepEqual(
    ids.filter((id) => placement.isInside(id)),
    ids.filter((id) => !wanted.includes(id)),
  );
  return { wanted, together: placement.isTogether };
}

describe('where tests run', () => {
  test('all in one box, with what T0 shows as it is and what is new only without its expectations', () => {
    const functions = [
      outside('fix'),
      outside('seen', SEEN),
      outside('seen inside', { ...SEEN, ...INSIDE }),
      outside('without assertion', { ...SEEN, sites: [] }),
      outside('new'),
    ];
    const all = functions.flatMap(({ ids }) => ids);
    assert.deepEqual(place(functions), { wanted: all, together: true });
  });

  const others: [string, StrippedFunction][] = [
    ['a new one that compares inside', outside('new inside', INSIDE)],
    ['one of which the place is not known', outside('blocked', { ...SEEN, blocked: 'made elsewhere' })],
  ];
  for (const [name, other] of others)
    test(`where another box is needed, it runs all that it can: ${name}`, () => {
      const functions = [
        outside('fix'),
        outside('seen', SEEN),
        outside('seen inside', { ...SEEN, ...INSIDE }),
        outside('new'),
      ];
      assert.deepEqual(place([...functions, other]), { wanted: ['fix', 'seen'], together: false });
    });

  test('a hidden file without tests of the fix needs another box', () => {
    assert.deepEqual(place([outside('fix'), outside('new')], ['elsewhere']), { wanted: ['fix'], together: false });
  });
});

describe('what stripped files show', () => {
  const at = (text: string): { path: string; text: string }[] => [{ path: 'a.js', text }];
  const less = at('let a = 0;\n;\nobserve(1);');

  test('lines that T0 has are no news', () => {
    const files = at('let a = 5;\ncheck(a);\nassert(f(1) === 5);');
    const more = at('let a = 5;\ncheck(a);\nobserve(1);');
    assert.equal(showsMore({ files, before: at('let a = 5;\ncheck(a);') }, more, less), false);
    assert.equal(showsMore({ files, before: at('let a = 4;\ncheck(a);') }, more, less), true, 'a constant that is new');
    assert.equal(showsMore({ files, before: [] }, more, less), true, 'a file that is new');
  });

  test('lines that T0 has in another order are news', () => {
    const files = at('[\n1,\n2,\n]');
    const nothing = at('\n\n\n');
    assert.equal(showsMore({ files, before: at('[\n1,\n2,\n]') }, files, nothing), false);
    assert.equal(showsMore({ files, before: at('[\n2,\n1,\n]\n[\n1,\n2,\n3,\n]') }, files, nothing), true);
  });

  test('lines that cannot be told apart by their numbers are news', () => {
    const files = at('let a = 5;\ncheck(a);\nassert(f(1) === 5);');
    assert.equal(showsMore({ files, before: files }, at('let a = 5;'), less), true);
  });
});
