import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@assay/sandbox';
import type { Evaluation, Guesses, Rewritten, SplitRequest } from '../../split-facet.ts';

const TOOL = fileURLToPath(new URL('tool.mjs', import.meta.url));
const ENCODER = fileURLToPath(new URL('../runner/encode-value.cjs', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'assay-tool-'));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Form {
  runner?: 'jest' | 'mocha' | 'node:test';
  /** In front of the tests. */
  head?: string;
  /** Body of the test. */
  text: string;
  /** What is left of it. */
  left: string;
  /** Observations that hold and such that do not: kind, and the values as JavaScript. */
  holds?: [kind: string, values: string][];
  fails?: [kind: string, values: string][];
}

const ASSERT = `const assert = require('assert');`;
const CHAI = `const { expect } = require('chai');`;
const error = (Kind: string, message: string): string => `[new ${Kind}('${message}')]`;

const FORMS: Form[] = [
  {
    text: `expect(f()).toEqual({ a: [1] });`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[{ a: [1] }]']],
    fails: [
      ['value', '[{ a: [2] }]'],
      ['value', '[{}]'],
    ],
  },
  {
    text: `expect(f()).not.toBe('x');`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '["y"]']],
    fails: [['value', '["x"]']],
  },
  {
    text: `expect(f()).toStrictEqual({ a: 1 });`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[{ a: 1 }]']],
    fails: [
      ['value', '[{ a: 1, b: undefined }]'],
      ['value', '[new (class A { a = 1 })()]'],
    ],
  },
  {
    text: `expect(f()).toEqual({ a: 1 });`,
    left: `$assay(0,"0",f());`,
    holds: [
      ['value', '[new (class A { a = 1 })()]'],
      ['value', '[{ a: 1, b: undefined }]'],
    ],
    fails: [['value', `[JSON.parse('{"a":1,"__proto__":{}}')]`]],
  },
  {
    text: `expect(f() === 'x').toBe(true);`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '["x"]']],
    fails: [
      ['value', '[true]'],
      ['value', '["y"]'],
    ],
  },
  {
    text: `expect(f().includes('xyz')).toBeTruthy();`,
    left: `$assay(0,"0",f());`,
    holds: [
      ['value', '["wxyz"]'],
      ['value', '[["xyz"]]'],
    ],
    fails: [['value', '["xy"]']],
  },
  {
    text: `expect(f()).toEqual([1, g(), 'x']);`,
    left: `$assay(0,"0",f(),g());`,
    holds: [['value', '[[1, 2, "x"], 2]']],
    fails: [
      ['value', '[[1, 2, "x"], 3]'],
      ['value', '[[1, 2, "z"], 2]'],
    ],
  },
  {
    text: `expect(f()).toEqual(expect.objectContaining({ a: expect.any(Number) }));`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[{ a: 1, b: 2 }]']],
    fails: [['value', '[{ a: "1" }]']],
  },
  { text: `expect(f()).toBe(-0);`, left: `$assay(0,"0",f());`, holds: [['value', '[-0]']], fails: [['value', '[0]']] },
  {
    text: `expect(f()).toEqual(new Map([[1, new Set([2n])]]));`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[new Map([[1, new Set([2n])]])]']],
    fails: [['value', '[new Map([[1, new Set([2])]])]']],
  },
  {
    text: `expect(f()).toEqual(new Date(5));`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[new Date(5)]']],
    fails: [
      ['value', '[new Date(6)]'],
      ['value', '[5]'],
    ],
  },
  {
    text: `expect(f()).toEqual(Buffer.from('ab'));`,
    left: `$assay(0,"0",f());`,
    holds: [['value', `[Buffer.from('ab')]`]],
    fails: [['value', `[Buffer.from('ac')]`]],
  },
  {
    text: `expect(() => f()).toThrow('no');`,
    left: `$assay.throws(0,"0",() => f());`,
    holds: [['thrown', error('Error', 'oh no')]],
    fails: [
      ['thrown', error('Error', 'yes')],
      ['none', '[undefined]'],
    ],
  },
  {
    text: `expect(() => f()).toThrow(RangeError);`,
    left: `$assay.throws(0,"0",() => f());`,
    holds: [['thrown', error('RangeError', '')]],
    fails: [['thrown', error('TypeError', '')]],
  },
  {
    text: `expect(() => f()).toThrow(Own);`,
    left: `$assay.throws(0,"0",() => f());`,
    holds: [['thrown', '[new (class Own extends Error {})()]']],
    fails: [['thrown', error('Error', 'Own')]],
  },
  {
    text: `expect(() => f()).not.toThrow();`,
    left: `$assay.quiet(0,"0",() => f());`,
    holds: [['none', '[undefined]']],
    fails: [['thrown', error('Error', '')]],
  },
  {
    text: `return expect(f()).resolves.toBe(4);`,
    left: `return $assay.resolves(0,"0",f());`,
    holds: [['resolved', '[4]']],
    fails: [
      ['resolved', '[5]'],
      ['rejected', '[4]'],
    ],
  },
  {
    text: `return expect(f()).rejects.toThrow(/no/);`,
    left: `return $assay.rejects(0,"0",f());`,
    holds: [['rejected', error('Error', 'no')]],
    fails: [
      ['rejected', error('Error', 'yes')],
      ['resolved', '["no"]'],
    ],
  },
  {
    text: `expect(f()).toMatchInlineSnapshot(\`{"a": 1}\`);`,
    left: `$assay(0,"0",f());`,
    fails: [['value', '[{ a: 1 }]']],
  },
  {
    text: `expect(f()).toMatchInlineSnapshot(\`"x"\`);`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '["x"]']],
    fails: [['value', '["y"]']],
  },
  { text: `expect(f()).toBe(g());`, left: `expect(f()).toBe(g());` },
  { text: `expect(f()).toBe({});`, left: `expect(f()).toBe({});` },
  { text: `expect(f).toHaveBeenCalledWith(1);`, left: `expect(f).toHaveBeenCalledWith(1);` },
  { text: `expect(f()).toBeOwn(1);`, left: `expect(f()).toBeOwn(1);` },
  {
    text: `const secret = ['x'] as const; expect<string[]>(f()!).toEqual(secret as any);`,
    left: `const secret = 0; $assay(0,"0",f()!);`,
    holds: [['value', '[["x"]]']],
  },
  {
    runner: 'node:test',
    head: ASSERT,
    text: `assert.deepStrictEqual(f(), { a: 1 }, 'why');`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[{ a: 1 }]']],
    fails: [
      ['value', '[{ a: "1" }]'],
      ['value', '[new (class A { a = 1 })()]'],
    ],
  },
  {
    runner: 'node:test',
    head: ASSERT,
    text: `assert.equal(f(), '1');`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[1]']],
    fails: [['value', '[2]']],
  },
  {
    runner: 'node:test',
    head: ASSERT,
    text: `assert(f() > 3);`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[4]']],
    fails: [
      ['value', '[3]'],
      ['value', '[true]'],
    ],
  },
  {
    runner: 'node:test',
    head: ASSERT,
    text: `assert.throws(() => f(), { code: 'E', message: /x/ });`,
    left: `$assay.throws(0,"0",() => f());`,
    holds: [['thrown', `[Object.assign(new Error('x'), { code: 'E' })]`]],
    fails: [['thrown', error('Error', 'x')]],
  },
  {
    runner: 'mocha',
    head: CHAI,
    text: `expect(f()).to.have.property('a').that.deep.equals([1]);`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[{ a: [1] }]']],
    fails: [
      ['value', '[{ a: [2] }]'],
      ['value', '[{}]'],
    ],
  },
  {
    runner: 'mocha',
    head: CHAI,
    text: `expect(f()).to.be.an('array').with.lengthOf(2);`,
    left: `$assay(0,"0",f());`,
    holds: [['value', '[[1, 2]]']],
    fails: [
      ['value', '[[1]]'],
      ['value', '["ab"]'],
    ],
  },
  {
    runner: 'mocha',
    head: CHAI,
    text: `expect(() => f()).to.throw(TypeError, 'no');`,
    left: `$assay.throws(0,"0",() => f());`,
    holds: [['thrown', error('TypeError', 'no')]],
    fails: [
      ['thrown', error('Error', 'no')],
      ['thrown', error('TypeError', 'yes')],
    ],
  },
  {
    runner: 'mocha',
    head: CHAI,
    text: `return request(app).get('/').expect(200, 'body');`,
    left: `return request(app).get('/').expect($assay.response(0,"0"));`,
    holds: [['value', '[200, {}, "body", {}]']],
    fails: [
      ['value', '[200, {}, "other", {}]'],
      ['value', '[404, {}, "body", {}]'],
    ],
  },
];

describe('forms of assertions', () => {
  // One process for all: each form is a file of its own.
  const paths = FORMS.map((_, index) => `test/${String(index).padStart(2, '0')}.test.ts`);
  const answers = new Map<string, Promise<Rewritten>>();
  const rewritten = (runner: string): Promise<Rewritten> => {
    const of = FORMS.map((form, index) => ({ form, path: paths[index] ?? '' })).filter(
      ({ form }) => (form.runner ?? 'jest') === runner,
    );
    const head = `const { test } = require('node:test');`;
    const files = of.map(({ form, path }) => ({
      path,
      text: `${runner === 'node:test' ? head : ''}${form.head ?? ''}\n${runner === 'mocha' ? 'it' : 'test'}('title', () => {\n${form.text}\n});`,
    }));
    const ids = files.map(({ path }) => `${path} > title`);
    const request: SplitRequest = { mode: 'rewrite', runner, files, before: [], ids, wanted: ids, native: {} };
    const answer = answers.get(runner) ?? ask<Rewritten>(request);
    answers.set(runner, answer);
    return answer;
  };

  for (const [index, form] of FORMS.entries()) {
    test(form.text, async () => {
      const path = paths[index] ?? '';
      const { files, sites, expectations } = await rewritten(form.runner ?? 'jest');
      const [site] = sites.filter(({ file }) => file === path);
      assert.ok(site);
      const line = files.find((file) => file.path === path)?.text.split('\n')[2];
      assert.equal(line, form.left.replaceAll('(0,', `(${site.id},`));
      const isSplit = form.holds !== undefined || form.fails !== undefined;
      assert.equal(site.native === undefined, isSplit, site.native);
      const seen = [
        ...(form.holds ?? []).map((each) => [...each, true] as const),
        ...(form.fails ?? []).map((each) => [...each, false] as const),
      ];
      if (seen.length > 0)
        assert.deepEqual(
          await outcomes({ path, site: site.id, expectations, seen }),
          seen.map(([, , holds]) => holds),
        );
    });
  }
});

/** Evaluates observations of a site, each as if it were alone. */
test('battery: literals of another test count as shown where they are said to be', async () => {
  const text =
    "test('a', () => { expect(f(1)).toBe('a value'); });\ntest('b', () => { expect(f('a value')).toBe(1); });";
  const ids = ['a.test.js > a', 'a.test.js > b'];
  const files = [{ path: 'a.test.js', text }];
  const rewritten = await ask<Rewritten>({
    mode: 'rewrite',
    runner: 'jest',
    files,
    before: [],
    ids,
    wanted: ids,
    native: {},
  });
  const [one, other] = rewritten.functions;
  const tests = [one, other].map((each, row) => ({ id: ids[row], stripped: each?.base, row: 0, sites: {} }));
  const { expectations } = rewritten;
  const guess = (alsoShown: unknown[]): Promise<Guesses> =>
    ask({ mode: 'battery', plan: { tests, expectations }, files: rewritten.files, sources: [], alsoShown });
  assert.equal((await guess([])).sites['0']?.level, 'strong');
  assert.equal((await guess([other?.base])).sites['0']?.level, 'echo');
});

async function outcomes({
  path,
  site,
  expectations,
  seen,
}: {
  path: string;
  site: number;
  expectations: unknown;
  seen: (readonly [kind: string, values: string, holds: boolean])[];
}): Promise<boolean[]> {
  const { sites, functions } = expectations as {
    sites: Record<string, { base: string }>;
    functions: Record<string, object>;
  };
  const expectation = sites[site];
  assert.ok(expectation);
  // A function for each observation, which has the same site under another number.
  const copies = seen.map((_, index) => ({ ...expectation, base: `${path} > ${100 + index}` }));
  const script = `const { encodeValue } = require(process.argv[1]); process.stdout.write(JSON.stringify(eval(process.argv[2]).map((values) => values.map(encodeValue))))`;
  const values = `[${seen.map(([, text]) => text).join(',')}]`;
  const encoded = await runCommand([process.execPath, '-e', script, ENCODER, values]);
  assert.equal(encoded.exitCode, 0, encoded.stderr.toString());
  const lines = (JSON.parse(encoded.stdout.toString()) as string[][]).map(
    (leaves, index) =>
      `[${JSON.stringify(copies[index]?.base)},${index},"${seen[index]?.[0]}",[${leaves.join(',')}]]\n`,
  );
  const observations = join(directory, 'observations');
  writeFileSync(observations, lines.join(''));
  const answer = await ask<Evaluation>({
    mode: 'evaluate',
    plan: {
      tests: copies.map(({ base }, index) => ({ id: String(index), stripped: base, row: 0, sites: {} })),
      expectations: {
        sites: { ...copies },
        functions: Object.fromEntries(copies.map(({ base }) => [base, functions[expectation.base]])),
      },
    },
    observations,
  });
  assert.deepEqual(answer.problems, []);
  return copies.map((_, index) => answer.tests[index]?.sites[index]?.outcome === 'true');
}

async function ask<Answer>(request: object): Promise<Answer> {
  const file = join(directory, 'request.json');
  writeFileSync(file, JSON.stringify(request));
  const result = await runCommand([process.execPath, TOOL, file]);
  assert.equal(result.exitCode, 0, result.stderr.toString());
  return JSON.parse(result.stdout.toString()) as Answer;
}
