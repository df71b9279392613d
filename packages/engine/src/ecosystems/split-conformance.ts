import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { SplitPlan, SplitTest } from '@assay/protocol';
import { ask, runNative, runStripped, type Results, type SplitSubject } from './split-subject.fixture.ts';
import type { ControlTests, Evaluation, Guesses, Probes, Rewritten, SplitRequest, ToldProbes } from './split-facet.ts';

interface Prepared {
  ids: string[];
  rewritten: Rewritten;
  plan: SplitPlan;
  honest: string;
}

/** Declares the tests that every member of the split oracle passes. */
export function splitConformance(subject: SplitSubject): void {
  describe(`split conformance: ${subject.command.runner}`, () => {
    let directory = '';
    let prepared: Prepared;
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'assay-split-'));
      prepared = await prepare(subject, directory);
    });
    after(() => rm(directory, { recursive: true, force: true }));

    const evaluate = async (observations: string): Promise<Evaluation> => {
      const path = join(directory, 'observations-altered');
      await writeFile(path, observations);
      return ask(subject, directory, { mode: 'evaluate', plan: prepared.plan, observations: path });
    };

    test('stripped files: as many lines as before, nothing of the expectations, the same tests', () => {
      const [file] = prepared.rewritten.files;
      assert.ok(file);
      assert.equal(file.text.split('\n').length, subject.hidden.text.split('\n').length);
      for (const secret of subject.secrets) {
        assert.ok(subject.hidden.text.includes(secret));
        assert.ok(!file.text.includes(secret), `${secret} is left in\n${file.text}`);
      }
      assert.deepEqual(prepared.rewritten.problems, []);
      assert.deepEqual(prepared.rewritten.functions.flatMap(({ ids }) => ids).sort(), [...prepared.ids].sort());
    });

    test('sites: numbers do not depend on what is wanted, what calibration names stays inside', async () => {
      const request = rewriteRequest(subject, prepared.ids);
      const [first] = prepared.rewritten.sites.filter(({ native }) => native === undefined);
      assert.ok(first);
      const one = await ask<Rewritten>(subject, directory, {
        ...request,
        wanted: [subject.once],
        native: { [first.id]: 'no' },
      });
      assert.deepEqual(
        one.sites.map(({ id, line }) => [id, line]),
        prepared.rewritten.sites.map(({ id, line }) => [id, line]),
      );
      assert.equal(one.sites.find(({ id }) => id === first.id)?.native, 'no');
      assert.ok(!(String(first.id) in (one.expectations as { sites: object }).sites));
      assert.equal(one.files[0]?.text.split('\n').length, subject.hidden.text.split('\n').length);
    });

    test('an exception relaxed to its class: its words are no expectation any more, and it stays outside', async () => {
      const worded = prepared.rewritten.sites.filter((site) => site.messageLine !== undefined && !site.native);
      assert.ok(worded.length > 0);
      const relaxed = worded.map(({ id }) => id);
      const request = { ...rewriteRequest(subject, prepared.ids), relaxed };
      const { sites, expectations } = await ask<Rewritten>(subject, directory, request);
      const expected = (of: unknown, id: number): string => JSON.stringify((of as { sites: object[] }).sites[id]);
      for (const { id } of worded) {
        assert.equal(sites.find((site) => site.id === id)?.native, undefined);
        assert.ok(expected(expectations, id).length < expected(prepared.rewritten.expectations, id).length);
      }
      const path = join(directory, 'observations-relaxed');
      await writeFile(path, prepared.honest);
      const plan = { ...prepared.plan, expectations };
      const { tests } = await ask<Evaluation>(subject, directory, { mode: 'evaluate', plan, observations: path });
      for (const { id } of prepared.plan.tests) assert.equal(tests[id]?.why, undefined, id);
    });

    test('the right code: every site is true', async () => {
      const evaluation = await evaluate(prepared.honest);
      assert.deepEqual(evaluation.problems, []);
      for (const { id, sites } of prepared.plan.tests) {
        if (Object.keys(sites).length === 0) continue;
        assert.equal(evaluation.tests[id]?.why, undefined, id);
        for (const { outcome } of Object.values(evaluation.tests[id]?.sites ?? {})) assert.equal(outcome, 'true', id);
      }
    });

    test('the request and what was observed on standard input: the same answer', async () => {
      const observed = `${prepared.honest}no json\n`;
      const request: SplitRequest = { mode: 'evaluate', plan: prepared.plan };
      const answer = await ask<Evaluation>(subject, directory, request, observed);
      assert.equal(answer.problems.length, 1);
      assert.deepEqual(answer, await evaluate(observed));
    });

    for (const { name, files, fails } of subject.wrong) {
      test(`wrong code fails the tests that it fails as they were written: ${name}`, async () => {
        const native = await runNative(subject, files);
        assert.deepEqual(failing(native, prepared.ids), [...fails].sort());
        assert.deepEqual(await failingSplit(subject, directory, { prepared, files }), [...fails].sort());
      });
    }

    for (const { name, files, fooled } of subject.forged) {
      test(`forged: ${name}`, async () => {
        const native = await runNative(subject, files);
        for (const id of fooled) assert.equal(native.get(id), 'passed', `control: ${id}`);
        const failed = await failingSplit(subject, directory, { prepared, files });
        for (const id of fooled) assert.ok(failed.includes(id), id);
      });
    }

    const lines = (): string[] => prepared.honest.split('\n').filter((line) => line !== '');
    const strippedId = (id: string): string => {
      const { stripped } = prepared.plan.tests.find((each) => each.id === id) ?? {};
      assert.ok(stripped);
      return stripped;
    };
    const lineOf = (id: string): string => {
      const line = lines().find((each) => JSON.parse(each)[0] === strippedId(id));
      assert.ok(line);
      return line;
    };
    const failsWith = async (observed: string[], id: string): Promise<void> => {
      const { tests, problems } = await evaluate(`${observed.join('\n')}\n`);
      assert.ok(problems.length > 0 || tests[id] === undefined || tests[id].why !== undefined, id);
    };

    test('observations: dropped, doubled, sprayed, swapped', async () => {
      const { once } = subject;
      const line = lineOf(once);
      await failsWith(
        lines().filter((each) => each !== line),
        once,
      );
      await failsWith([...lines(), line], once);
      const [id, site, kind, leaves] = JSON.parse(line) as [string, number, string, unknown[]];
      for (const guess of [null, true, 0, '', 'a guess'])
        await failsWith([...lines(), JSON.stringify([id, site, kind, leaves.map(() => guess)])], once);
      if (subject.rows === undefined) return;
      const [one, other] = subject.rows;
      const swapped = lines().map((each) => {
        const [of, ...rest] = JSON.parse(each) as [string, ...unknown[]];
        if (of === strippedId(one)) return JSON.stringify([strippedId(other), ...rest]);
        return JSON.stringify([of === strippedId(other) ? strippedId(one) : of, ...rest]);
      });
      await failsWith(swapped, one);
      await failsWith(swapped, other);
    });

    test('observations: what no honest run writes is a problem', async () => {
      const [id, site, kind, leaves] = JSON.parse(lineOf(subject.once)) as [string, number, string, unknown[]];
      const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
      const odd = [
        'no json',
        '{}',
        '[]',
        'null',
        JSON.stringify([id, 999_999, kind, leaves]),
        JSON.stringify(['nobody > knows', site, kind, leaves]),
        JSON.stringify([`${id} [7]`, site, kind, leaves]),
        JSON.stringify([id, site, 'odd', leaves]),
        JSON.stringify([id, site, kind, [...leaves, 1]]),
        JSON.stringify([id, String(site), kind, leaves]),
        JSON.stringify(['__proto__', site, kind, leaves]),
        `[${JSON.stringify(id)},${site},"${kind}"`,
        'x'.repeat(6 * 1024 * 1024),
      ];
      for (const line of odd) {
        const { problems } = await evaluate(`${prepared.honest}${line}\n`);
        assert.ok(problems.length > 0, line.slice(0, 100));
      }
      const nested = await evaluate(`${prepared.honest}[${JSON.stringify(id)},${site},"${kind}",[${deep}]]\n`);
      assert.ok(nested.problems.length > 0 || nested.tests[subject.once]?.why !== undefined);
    });

    test('observations: a flood ends', async () => {
      const path = join(directory, 'flood');
      const chunk = `${lineOf(subject.once)}\n`.repeat(10_000);
      await writeFile(path, '');
      for (let size = 0; size < 100 * 1024 * 1024; size += chunk.length) await appendFile(path, chunk);
      const { problems } = await ask<Evaluation>(subject, directory, {
        mode: 'evaluate',
        plan: prepared.plan,
        observations: path,
      });
      assert.ok(problems.length > 0);
      await rm(path);
    });

    test('battery: the level of each test', async () => {
      const { sites } = await ask<Guesses>(subject, directory, {
        mode: 'battery',
        plan: prepared.plan,
        files: prepared.rewritten.files,
        sources: Object.entries(subject.honest).map(([path, text]) => ({ path, text })),
      });
      const order = ['strong', 'contain', 'echo', 'weak'];
      for (const [id, level] of Object.entries(subject.levels)) {
        const own = prepared.rewritten.functions.find(({ ids }) => ids.includes(id))?.sites ?? [];
        const found = own
          .flatMap((site) => sites[site]?.level ?? [])
          .sort((a, b) => order.indexOf(a) - order.indexOf(b));
        assert.equal(found[0], level, `${id}: ${JSON.stringify(own.map((site) => sites[site]))}`);
      }
    });

    const { setUp } = subject;
    if (setUp)
      test('what sets a call up is run with it, by itself: what the fix does, and T0 does not, is told', async () => {
        const { hidden, id } = setUp;
        const files = [hidden];
        const request = { runner: subject.command.runner, files, ids: [id], wanted: [id] };
        const probes = await ask<Probes>(subject, directory, { mode: 'tell', ...request });
        const observe = async (code: Record<string, string>): Promise<string> =>
          (await runStripped(subject, directory, { rewritten: probes, files: code })).observed;
        const [reference, before] = [await observe(setUp.fixed), await observe(setUp.before)];
        const { tellings } = probes;
        const { told } = await ask<ToldProbes>(subject, directory, { mode: 'told', tellings, reference, before });
        const found = told.map(({ probe, expected, before: today }) => {
          const { setup, expression } = tellings.find((each) => each.probe === probe) ?? {};
          return { setup, expression, expected, today: today?.text ?? null };
        });
        assert.deepEqual(found, setUp.told);
      });

    test('control: the same tests on the same lines, and none can pass', async () => {
      const control = await ask<ControlTests>(subject, directory, {
        mode: 'control',
        runner: subject.command.runner,
        files: [subject.hidden],
        ids: prepared.ids,
      });
      assert.deepEqual(control.problems, []);
      assert.deepEqual([...control.failing].sort(), [...prepared.ids].sort());
      const [file] = control.files;
      assert.equal(file?.text.split('\n').length, subject.hidden.text.split('\n').length);
      const results = await runNative({ ...subject, hidden: file ?? subject.hidden }, subject.honest);
      assert.deepEqual([...results.keys()].sort(), [...prepared.ids].sort());
      assert.deepEqual(failing(results, prepared.ids), [...prepared.ids].sort());
    });

    test('a file that cannot be parsed is told', async () => {
      const request = rewriteRequest(subject, []);
      const broken = [{ path: subject.hidden.path, text: `${subject.hidden.text}\n)(` }];
      const { problems, functions } = await ask<Rewritten>(subject, directory, { ...request, files: broken });
      assert.deepEqual(
        problems.map(({ file }) => file),
        [subject.hidden.path],
      );
      assert.deepEqual(functions, []);
    });
  });
}

async function prepare(subject: SplitSubject, directory: string): Promise<Prepared> {
  const ids = [...(await runNative(subject, subject.honest)).keys()];
  let native: Record<number, string> = {};
  for (let round = 0; ; round += 1) {
    const rewritten = await ask<Rewritten>(subject, directory, { ...rewriteRequest(subject, ids), native });
    const { results, observed } = await runStripped(subject, directory, { rewritten, files: subject.honest });
    const plan = planOf(subject, rewritten, [...results.keys()]);
    const path = join(directory, 'observations-honest');
    await writeFile(path, observed);
    const evaluation = await ask<Evaluation>(subject, directory, { mode: 'evaluate', plan, observations: path });
    assert.deepEqual(evaluation.problems, []);
    const bad = Object.values(evaluation.tests).flatMap(({ sites }) =>
      Object.entries(sites).filter(([, { outcome }]) => outcome !== 'true'),
    );
    if (bad.length === 0) {
      for (const each of plan.tests) each.sites = required(evaluation, each.id);
      const left = new Set(rewritten.sites.filter((site) => site.native !== undefined).map(({ id }) => id));
      for (const id of subject.inside)
        assert.ok(
          rewritten.functions.some((each) => each.ids.includes(id) && each.sites.some((site) => left.has(site))),
          id,
        );
      return { ids, rewritten, plan, honest: observed };
    }
    assert.ok(round < 3, JSON.stringify(bad));
    native = { ...native, ...Object.fromEntries(bad.map(([site]) => [Number(site), 'calibration'])) };
  }
}

function required(evaluation: Evaluation, id: string): SplitTest['sites'] {
  const { sites = {} } = evaluation.tests[id] ?? {};
  return Object.fromEntries(Object.entries(sites).map(([site, { count }]) => [site, count === 1 ? 'once' : 'some']));
}

function planOf(subject: SplitSubject, rewritten: Rewritten, stripped: string[]): SplitPlan {
  const tests = rewritten.functions.flatMap(({ ids, base, blocked }): SplitTest[] => {
    if (blocked !== undefined) return [];
    const rows = stripped.filter((id) => subject.split.baseOf(id) === base);
    assert.equal(rows.length, ids.length, `${base}: ${rows.join(', ')}`);
    return ids.map((id, row) => ({ id, class: 'split', stripped: rows[row] ?? '', row, sites: {} }));
  });
  return {
    version: 1,
    evaluator: subject.split.version,
    runner: subject.command.runner,
    hidden: '0'.repeat(64),
    stripped: '0'.repeat(64),
    control: [],
    signals: [],
    files: rewritten.files.map(({ path }) => path),
    sites: rewritten.sites.map(({ id, file, line, form }) => ({ id, file, line, form, level: 'strong' })),
    tests,
    expectations: rewritten.expectations,
  };
}

function rewriteRequest({ hidden, command }: SplitSubject, ids: string[]): SplitRequest & { mode: 'rewrite' } {
  return { mode: 'rewrite', runner: command.runner, files: [hidden], before: [], ids, wanted: ids, native: {} };
}

/** Tests that fail when the stripped ones run and what they observe is compared, sorted. */
async function failingSplit(
  subject: SplitSubject,
  directory: string,
  { prepared, files }: { prepared: Prepared; files: Record<string, string> },
): Promise<string[]> {
  const { results, observed } = await runStripped(subject, directory, { rewritten: prepared.rewritten, files });
  const path = join(directory, 'observations-of-code');
  await writeFile(path, observed);
  const evaluation = await ask<Evaluation>(subject, directory, {
    mode: 'evaluate',
    plan: prepared.plan,
    observations: path,
  });
  return prepared.plan.tests
    .filter(({ id, stripped = '', sites }) => {
      if (results.get(stripped) !== 'passed' || evaluation.problems.length > 0) return true;
      const found = evaluation.tests[id];
      return found === undefined ? Object.keys(sites).length > 0 : found.why !== undefined;
    })
    .map(({ id }) => id)
    .sort();
}

const failing = (results: Results, ids: string[]): string[] => ids.filter((id) => results.get(id) !== 'passed').sort();
