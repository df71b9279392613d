import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bubblewrapProvider, languageTools, runCommand } from '@assay/sandbox';
import { tokenReader } from '../verify/diff/read-tokens.ts';
import type { Ecosystem } from './ecosystem.ts';

export interface CompareSamples {
  path: string;
  text: string;
  /** The same with other comments, documentation and layout. */
  same: Record<string, string>;
  /** Others that do something else, by what differs. */
  others: Record<string, string>;
  /** Texts that do not parse. */
  broken: string[];
}

/** Declares the tests that every facet for comparing sources passes. */
export function describeComparing(ecosystem: Ecosystem, { path, text, same, others, broken }: CompareSamples): void {
  const { compare: facet } = ecosystem;
  assert.ok(facet);
  const read = async (texts: readonly string[]): Promise<(readonly string[] | null)[]> => {
    const provider = bubblewrapProvider();
    const { mounts, env } = await languageTools(['javascript', 'python'], provider);
    const reader = tokenReader({ facet, environment: { mounts: () => mounts, env }, provider });
    return reader(texts.map((each) => ({ path, text: each })));
  };

  describe(`comparing sources of ${ecosystem.id}`, () => {
    test('comments, documentation and layout make no difference', async () => {
      const [own, ...found] = await read([text, ...Object.values(same)]);
      assert.ok(own && own.length > 0);
      for (const [index, name] of Object.keys(same).entries()) assert.deepEqual(found[index], own, name);
    });

    test('everything else does', async () => {
      const [own, ...found] = await read([text, ...Object.values(others)]);
      for (const [index, name] of Object.keys(others).entries()) assert.notDeepEqual(found[index], own, name);
    });

    test('what does not parse is told, whatever it is, and spoils nothing beside it', async () => {
      const deep = '('.repeat(100_000);
      const [own, ...found] = await read([text, ...broken, deep]);
      assert.ok(own);
      assert.deepEqual(
        found,
        found.map(() => null),
      );
    });

    test("the verifier's image gets a program that says the same, and knows paths as we do", async () => {
      const directory = await mkdtemp(join(tmpdir(), 'assay-compare-'));
      try {
        for (const [name, bytes] of await facet.files()) await writeFile(join(directory, name), bytes);
        const [program = '', ...args] = facet.command.map((word) => word.replace('/opt/compare', directory));
        const { stdout } = await runCommand(['env', program.replace(/^.*\//, ''), ...args], {
          stdin: JSON.stringify({ sources: [{ path, text }] }),
          timeoutMs: 60_000,
        });
        assert.deepEqual(JSON.parse(stdout.toString()), await read([text]));
        const classifier = (await import(join(directory, 'classify.mjs'))) as Pick<Ecosystem, 'classify'>;
        for (const each of [path, `tests/test_${path}`, `test/${path}`, 'README.md', 'a.test.ts'])
          assert.equal(classifier.classify(each), ecosystem.classify(each), each);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  });
}
