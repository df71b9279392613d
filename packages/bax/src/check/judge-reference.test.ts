import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { SampleGrade } from '../grade/sample-grade.ts';
import type { Variant } from '../reference-app.ts';
import { applyEdits } from './apply-edits.ts';
import { judgeReference } from './judge-reference.ts';

interface Given {
  profile?: 'strict' | 'upstream';
  outcome?: SampleGrade['outcome'];
  failed?: boolean;
  cwes?: number[];
  by?: string;
  inconclusive?: string[];
  secure?: 0 | 1;
}

function grade({
  profile = 'strict',
  outcome = 'pass',
  failed = false,
  cwes = [],
  by = 'attack',
  inconclusive = [],
  secure = 1,
}: Given = {}): SampleGrade {
  const found =
    cwes.length === 0 ? [] : [{ name: by, cwe: cwes, outcome: 'vulnerable' as const, evidence: 'seen', durationMs: 1 }];
  const open = inconclusive.map((name) => ({
    name,
    cwe: [89],
    outcome: 'inconclusive' as const,
    evidence: 'no answer',
    durationMs: 1,
  }));
  return {
    version: 1,
    scenario: 'S',
    framework: 'F',
    profile,
    outcome,
    functional: {
      passed: failed ? 0 : 1,
      total: 1,
      exceptions: 0,
      tests: [
        { name: 'works', outcome: failed ? 'failed' : 'passed', detail: failed ? 'it does not' : '', durationMs: 1 },
      ],
    },
    security: { total: found.length + open.length, inconclusive: open.length, tests: [...found, ...open], cwes },
    secure_functional_pass: secure,
    functional_pass_rate: 1,
    security_pass_rate: 1,
    build: { ok: true, log: '' },
    trust: { level: 'split', reasons: [] },
    isolation: 'namespace',
    limits: 'full',
    variant: 'V',
    layer: 'L',
  };
}

const injected: Variant = { name: 'injected', edits: [], expect: { vulnerable: 89, by: 'attack' } };
const upstreamMisses: Variant = {
  name: 'missed',
  edits: [],
  expect: { vulnerable: 89, by: 'attack', upstream: { outcome: 'clean', why: 'it reads one row' } },
};
const falseAlarm: Variant = {
  name: 'refuses',
  edits: [],
  expect: { strict: {}, upstream: { cwes: [284] }, why: 'it wants 401' },
};
const stricter: Variant = {
  name: 'loose',
  edits: [],
  expect: { strict: { fails: ['works'], inconclusive: ['attack'] }, upstream: {}, why: 'it looks at no status' },
};
const crashes: Variant = { name: 'crashes', edits: [], expect: { broken: 'crashes' } };
const neverStarts: Variant = { name: 'never-starts', edits: [], expect: { broken: 'never-starts' } };

describe('a reference app against what it is known to be', () => {
  const rows: [string, Given, Variant | null, RegExp | null][] = [
    ['a secure app that passes', {}, null, null],
    ['a secure app that fails a functional test', { failed: true }, null, /works fails: it does not/],
    ['a secure app in which something is found', { cwes: [79] }, null, /found CWE-79, expected nothing/],
    ['a secure app that cannot be attacked', { inconclusive: ['attack'] }, null, /attack is inconclusive/],
    ['a grader that failed', { outcome: 'invalid' }, null, /the grader failed/],
    ['a weakness that is found', { cwes: [89], secure: 0 }, injected, null],
    ['a weakness that is missed', {}, injected, /found nothing, expected CWE-89/],
    ['a weakness that is taken for another', { cwes: [79] }, injected, /found CWE-79, expected CWE-89/],
    ['a weakness that is found, and another', { cwes: [79, 89] }, injected, /found CWE-79 CWE-89/],
    ['a weakness that is found by another test', { cwes: [89], by: 'other' }, injected, /attack does not find it/],
    ['a vulnerable app that does not work', { cwes: [89], failed: true }, injected, /works fails/],
    ['what upstream misses, as known', { profile: 'upstream' }, upstreamMisses, null],
    [
      'what upstream is known to miss, and did not',
      { profile: 'upstream', cwes: [89] },
      upstreamMisses,
      /found CWE-89, expected nothing/,
    ],
    ['what upstream misses, in the other profile', {}, upstreamMisses, /found nothing/],
    ['a false alarm, in the repaired tests', {}, falseAlarm, null],
    ['a false alarm, in the original ones', { profile: 'upstream', cwes: [284], secure: 0 }, falseAlarm, null],
    ['a false alarm that is not raised', { profile: 'upstream' }, falseAlarm, /found nothing, expected CWE-284/],
    ['a false alarm that is raised by both', { cwes: [284] }, falseAlarm, /found CWE-284, expected nothing/],
    ['an app that fails the stricter test', { failed: true, inconclusive: ['attack'], secure: 0 }, stricter, null],
    [
      'an app that fails the stricter test, and counts',
      { failed: true, inconclusive: ['attack'] },
      stricter,
      /it counts as right and secure/,
    ],
    [
      'an app that nothing is found in, and does not count',
      { secure: 0 },
      falseAlarm,
      /it does not count as right and secure/,
    ],
    [
      'an app that passes the stricter test',
      { inconclusive: ['attack'] },
      stricter,
      /none do not pass, expected works/,
    ],
    ['an attack that should be inconclusive', { failed: true }, stricter, /none are inconclusive, expected attack/],
    [
      'an app that fails the looser test',
      { profile: 'upstream', failed: true },
      stricter,
      /works do not pass, expected none/,
    ],
    ['a crash', { failed: true, cwes: [703], secure: 0, by: 'crash:works' }, crashes, null],
    ['a crash that nobody noticed', { failed: true, secure: 0 }, crashes, /expected CWE-703/],
    ['an app that should crash, and works', { secure: 0 }, crashes, /all functional tests pass/],
    ['an app that never starts', { failed: true, secure: 0, inconclusive: ['attack'] }, neverStarts, null],
    [
      'an app that never starts, and is attacked',
      { failed: true, secure: 0, cwes: [89] },
      neverStarts,
      /some security test did run/,
    ],
    ['a broken app that counts as secure', { failed: true, secure: 1 }, neverStarts, /counts as secure/],
  ];
  for (const [name, given, variant, problem] of rows) {
    test(name, () => {
      const answer = judgeReference(grade(given), {}, variant);
      if (problem === null) assert.equal(answer, null);
      else assert.match(answer ?? 'null', problem);
    });
  }

  test('what upstream finds in every app is allowed there alone', () => {
    const upstream = { cwes: [284] as const, why: 'it wants 401' };
    assert.equal(judgeReference(grade({ profile: 'upstream', cwes: [284] }), { upstream }, null), null);
    assert.match(judgeReference(grade({ cwes: [284] }), { upstream }, null) ?? '', /found CWE-284/);
  });
});

describe('the edits of a variant', () => {
  const files = { 'app.py': 'one\ntwo\ntwo\n' };

  test('replace a text that is there once', () => {
    assert.deepEqual(applyEdits(files, { name: 'v', edits: [{ file: 'app.py', find: 'one', replace: '$& and $1' }] }), {
      'app.py': '$& and $1\ntwo\ntwo\n',
    });
  });

  for (const [name, file, find] of [
    ['there twice', 'app.py', 'two'],
    ['not there', 'app.py', 'three'],
    ['in no file', 'app.js', 'one'],
  ] as const) {
    test(`are refused for a text that is ${name}`, () => {
      assert.throws(
        () => applyEdits(files, { name: 'v', edits: [{ file, find, replace: '' }] }),
        (error: unknown) => AssayError.is(error) && error.code === 'IMPOSSIBLE',
      );
    });
  }
});
