import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@assay/sandbox';
import type { Probes, Telling, ToldProbe, ToldProbes } from '../../split-facet.ts';

const TOOL = fileURLToPath(new URL('tool.mjs', import.meta.url));
const PATH = 'test/a.test.ts';
const HEAD = `import { expect, it, test } from 'vitest';
import { parse, Bad } from '../src';
import { shown } from './helpers';
const base = { strict: true };
`;

describe('the tool that tells what JavaScript tests ask for', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-tell-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function ask<T>(request: object): Promise<T> {
    const path = join(directory, 'request.json');
    await writeFile(path, JSON.stringify(request));
    const { exitCode, stdout, stderr } = await runCommand([process.execPath, TOOL, path], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    assert.equal(exitCode, 0, stderr.toString());
    return JSON.parse(stdout.toString()) as T;
  }

  const tell = (body: string, titles = ['a']): Promise<Probes> => {
    const ids = titles.map((title) => `${PATH} > ${title}`);
    return ask({ mode: 'tell', runner: 'vitest', files: [{ path: PATH, text: HEAD + body }], ids, wanted: ids });
  };
  const setups = async (body: string, titles?: string[]): Promise<(string | undefined)[][]> =>
    (await tell(body, titles)).tellings.map(({ setup, expression }) => [setup, expression]);
  const expressions = async (body: string, titles?: string[]): Promise<string[]> =>
    (await tell(body, titles)).tellings.map(({ kind, expression }) => `${kind}: ${expression}`);

  async function told(telling: Partial<Telling>, reference: unknown[], earlier: unknown[]): Promise<ToldProbe | null> {
    const line = ([kind, ...leaves]: unknown[]): string =>
      kind === undefined ? '' : `${JSON.stringify([`${PATH} > assay probe`, 0, kind, leaves])}\n`;
    const observed = { reference: line(reference), before: line(earlier) };
    const named = { probe: `${PATH}#0`, test: `${PATH} > a`, site: 0, kind: 'equals', expression: 'parse(1)' };
    return (await ask<ToldProbes>({ mode: 'told', tellings: [{ ...named, ...telling }], ...observed })).told[0] ?? null;
  }

  test('values take the place of the names of a test: rows, loops, constants, without types', async () => {
    const each = `it.each([['x', 1], ['y', 2]])('row %s', (text, count) => {
      expect(parse(text, base as any)).toBe(count);
    });`;
    assert.deepEqual(await expressions(each, ['row x', 'row y']), [
      "equals: parse('x', { strict: true })",
      "equals: parse('y', { strict: true })",
    ]);
    const loop = `const rows = [{ input: 'p', out: { x: 1 } }, { input: 'q', out: { x: 2 } }];
    for (const row of rows) test(row.input, () => { expect(parse(row.input!)).toEqual(row.out); });`;
    assert.deepEqual(await expressions(loop, ['p', 'q']), ["equals: parse('p')", "equals: parse('q')"]);
    const body = `it('a', async () => {
      const strict = true;
      const url = 'http://x' as string;
      expect(parse(url, { strict }).host).toBeUndefined();
      expect(() => { parse(7); }).toThrow(Bad);
      await expect(parse('w')).rejects.toThrow('no');
      const twice = (x) => x * 2;
      const wide = strict ? 1 : 2;
      expect(parse([wide], twice).map((x) => x + 1)).toContain(2);
    });`;
    assert.deepEqual(await expressions(body), [
      "equals: parse('http://x', { strict: true }).host",
      'raises: parse(7)',
      "raises: await parse('w')",
      'contains: parse([true ? 1 : 2], (x) => x * 2).map((x) => x + 1)',
    ]);
    const { files } = await tell(body);
    assert.match(files[0]?.text ?? '', /\nit\("assay probe", async|;it\("assay probe", async/);
    assert.doesNotMatch(files[0]?.text ?? '', /it\('a'/);
  });

  test('what is not said in one line, or needs the test file, is not told', async () => {
    for (const assertion of [
      'expect(shown(1)).toBe(1)',
      'expect(parse(made)).toBe(1)',
      'expect(parse(1)).toBe(parse(2))',
      'expect(parse(1)).not.toBe(2)',
      'expect(parse).toBe(base)',
      'expect(parse(process.cwd())).toBe(1)',
      `expect(parse('${'x'.repeat(200)}')).toBe(1)`,
      'expect(1).toBe(1)',
    ])
      assert.deepEqual(await expressions(`it('a', (made) => { ${assertion}; });`), [], assertion);
  });

  test('what a test does to an object before it asks is told, and the object is not made anew', async () => {
    const body = `const noop = () => {};
    it('a', async () => {
      const strict = true;
      const router = parse({
        strict, // as it is by default
      });
      router.on('GET', '/a/:b', noop);
      router.last.name = 'x';
      await router.ready();
      const found = router.find('/a/x');
      expect(found.params).toEqual({ b: 'x' });
      router.on('PUT', '/', noop);
      expect(router.find('/').handler.name).toBe('noop');
    });
    it('b', () => {
      const list = [];
      parse(list);
      expect(new Bad(list).size).toBe(1);
      const key = new Bad('k');
      const signed = key.sign('v');
      expect(key.load(signed)).toBe('v');
      expect(() => key.load(3)).toThrow('no');
    });`;
    const [params, ...rest] = await setups(body, ['a', 'b']);
    const first = [
      'const router = parse({ strict: true })',
      "router.on('GET', '/a/:b', () => {})",
      "router.last.name = 'x'",
      'await router.ready()',
    ];
    assert.deepEqual(params, [first.join('\n'), "router.find('/a/x').params"]);
    // The second question of the first test needs six statements.
    assert.deepEqual(rest, [
      ['const list = []\nparse(list)', 'new Bad(list).size'],
      ["const key = new Bad('k')", "key.load(key.sign('v'))"],
      ["const key = new Bad('k')\nconst signed = key.sign('v')", 'key.load(3)'],
    ]);
    const { files } = await tell(body, ['a', 'b']);
    assert.match(files[0]?.text ?? '', /try \{\nconst list = \[\];\nparse\(list\);\n\$r = true; \$assay\(1, /);
  });

  test('an answer that has a name is told as what was asked; a list that what is asked adds to has its name', async () => {
    const body = `function noop () {}
    it('a', () => {
      const found = parse('x');
      expect(found).toBe(null);
      const router = parse('y');
      router.on('GET', noop);
      const { handler } = router.find('/');
      expect(handler).toBe(null);
      const list = [];
      router.each(list);
      expect(list).toEqual([1]);
      const other = parse;
      expect(other).toBe(null);
    });`;
    const made =
      "const router = parse('y')\nrouter.on('GET', function noop () {})\nconst { handler } = router.find('/')";
    assert.deepEqual(await setups(body), [
      [undefined, "parse('x')"],
      [made, 'handler'],
      [`${made}\nconst list = []\nrouter.each(list)`, 'list'],
    ]);
  });

  test('an object of the module is made in the setup, unless the file does something else to it', async () => {
    const body = (more: string): string => `const app = parse('x');
    ${more}
    it('a', () => { app.use(1); const got = []; app.each((each) => { got.push(each)
      got.sort() }); expect(app.get(got)).toBe(1); });`;
    const setup =
      "const app = parse('x')\napp.use(1)\nconst got = []\napp.each((each) => { got.push(each); got.sort() })";
    assert.deepEqual(
      await setups(body("afterAll(() => app.close()); it('b', () => { expect(app.get(2)).toBe(1); });")),
      [[setup, 'app.get(got)']],
    );
    for (const more of ['app.use(2);', 'beforeEach(() => { app.clear(); });', "it('b', () => { app.use(2); });"])
      assert.deepEqual(await setups(body(more)), [], more);
  });

  test('setup that branches, asserts, needs the test file, or opens the network is not told', async () => {
    for (const statement of [
      "if (made) router.on('x');",
      'shown(router);',
      "router.on('x', () => { expect(1).toBe(1); });",
      "router.on('x', made);",
      "router.on('x', this.x);",
      `router.on('${'x'.repeat(120)}');`,
      'router.on(`x`);',
      'router = parse(2);',
      'http.listen(router);',
    ]) {
      const body = `import http from 'node:http';
      it('a', (made) => { ${/^router =/.test(statement) ? 'let' : 'const'} router = parse(1); ${statement} expect(router.find(1)).toBe(1); });`;
      assert.deepEqual(await setups(body), [], statement);
    }
    const nested = `it('a', () => { const router = parse(1); router.on(2); for (const x of [1]) { expect(router.find(1)).toBe(1); } });`;
    assert.deepEqual(await setups(nested), []);
  });

  test('setup is part of what is asked: the same asks with other setups are of other inputs', async () => {
    const body = ['/a', '/b'].map(
      (path, number) => `it('${number}', () => {
        const router = parse(); router.on('${path}');
        expect(router.find('/').x).toBe(1); expect(router.find('/').y).toBe(2);
      });`,
    );
    const { tellings } = await tell(body.join('\n'), ['0', '1']);
    const inputs = tellings.map((each) => each.inputs);
    assert.equal(tellings.length, 4);
    assert.deepEqual([inputs[0], inputs[2]], [inputs[1], inputs[3]]);
    assert.notEqual(inputs[0], inputs[2]);
    assert.equal(new Set(tellings.map(({ probe }) => probe)).size, 4);
  });

  test('assertions of the context of a test are told', async () => {
    const text = `const { test } = require('node:test');
    const make = require('../');
    test('a', (t) => { t.plan(1); const it = make(); it.on('x'); t.assert.equal(it.find(), null); t.assert.deepEqual(make(1).x, { y: 1 }); });`;
    const ids = ['test/a.js > a'];
    const files = [{ path: 'test/a.js', text }];
    const { tellings } = await ask<Probes>({ mode: 'tell', runner: 'node:test', files, ids, wanted: ids });
    assert.deepEqual(
      tellings.map(({ setup, expression }) => [setup, expression]),
      [
        ["const it = make()\nit.on('x')", 'it.find()'],
        [undefined, 'make(1).x'],
      ],
    );
  });

  test('a value, an error, and a name that is not there yet', async () => {
    const error = (message: string): unknown => ['e', ['TypeError', 'Error', 'Object'], 'TypeError', message, [], []];
    assert.deepEqual(await told({}, ['value', ['a', [1, ['u']]], ['a', [1, ['u']]]], ['value', null, 2]), {
      probe: `${PATH}#0`,
      expected: '[1, undefined]',
      before: { does: 'returns', text: 'null', message: null },
    });
    const before = async (message: string): Promise<ToldProbe['before'] | undefined> =>
      (await told({}, ['value', 1, 1], ['thrown', error(message), 1]))?.before;
    assert.deepEqual(await before('no number'), { does: 'raises', text: 'TypeError', message: 'no number' });
    assert.equal((await before('text.trim is not a function'))?.does, 'raises');
    assert.deepEqual(await before('(0 , __ssr_0__.parse) is not a function'), {
      does: 'absent',
      text: 'TypeError',
      message: null,
    });
    assert.equal((await told({}, ['value', 1, 1], []))?.before, null);
    const raised = await told({ kind: 'raises', raises: '' }, ['thrown', error('x'), null], ['value', 1, null]);
    assert.equal(raised?.expected, 'TypeError');
  });

  test('where T0 stopped on the way, nothing is told of what it did not come to', async () => {
    const line = (site: number): string => `${JSON.stringify([`${PATH} > assay probe`, site, 'value', [1, 1]])}\n`;
    const others = { probe: 'u.ts#0', test: 'u.ts > a', site: 9, kind: 'equals', expression: 'g(1)', inputs: '' };
    const tellings = [0, 1, 2, 3].map((site) => ({
      probe: `${PATH}#${site}`,
      test: `${PATH} > a`,
      site,
      kind: 'equals',
      expression: `f(${site})`,
      inputs: '',
    }));
    const probes = async (before: number[]): Promise<number[]> => {
      const observed = {
        reference: `${[4, 0, 1, 2, 3, 5].map(line).join('')}${line(0).replace(PATH, 'u.ts')}`,
        before: before.map((site) => line(site).replace('[1,1]', '[2,1]')).join(''),
      };
      const { told: found } = await ask<ToldProbes>({ mode: 'told', tellings: [...tellings, others], ...observed });
      return found.map(({ probe }) => (probe.startsWith('u.') ? 9 : Number(probe.split('#')[1])));
    };
    assert.deepEqual(await probes([4, 0, 2, 3, 5]), [0, 1, 2, 3, 9]);
    assert.deepEqual(await probes([4, 0]), [0, 1]);
    assert.deepEqual(await probes([4]), [0]);
    assert.deepEqual(await probes([]), [0, 1, 2, 3, 9]);
  });

  test('what T0 does too, what the reference does otherwise, and what nobody can write down is not told', async () => {
    assert.equal(await told({}, ['value', 1, 1], ['value', 1, 1]), null);
    assert.equal(await told({}, ['value', 2, 1], ['value', 3, 1]), null);
    assert.equal(await told({}, ['value', ['k', ['Url']], ['k', ['Url']]], ['value', 1, 1]), null);
    assert.equal(await told({ kind: 'raises', raises: 'Bad' }, ['value', 1, null], ['value', 1, null]), null);
  });
});
