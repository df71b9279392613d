import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bubblewrapProvider } from '@assay/sandbox';
import { applyEdits, type MutateFacet, type MutationKind, type TextEdit } from './mutate-facet.ts';

export interface MutateSamples {
  path: string;
  /** A source, and for each kind some line that a mutant of it makes. */
  text: string;
  made: Partial<Record<MutationKind, string[]>>;
  /** Lines that a mutant must not touch: comments, documentation, types, messages, logs. */
  silent: string[];
  /** Edits at the beginning of the source, that is, before its first line, that do nothing: a comment, documentation, types. */
  idle: string[];
  /** Lines that some rewrite makes. */
  rewritten: string[];
}

/** The interpreter of this machine; `env` tells the facet where it is. */
const RUNTIME = {
  environment: { mounts: () => [], env: { ASSAY_PYTHON: '/usr/bin/python3' } },
  provider: bubblewrapProvider(),
};

/** Declares the tests that every facet for mutants passes. */
export function describeMutations(
  facet: MutateFacet,
  { path, text, made, silent, idle, rewritten }: MutateSamples,
): void {
  const every = new Set(text.split('\n').map((_, index) => index + 1));
  const source = { path, text, lines: every, proposed: [] };
  const madeBy = (edits: readonly TextEdit[]): string[] => {
    const before = new Set(text.split('\n'));
    return applyEdits(text, edits)
      .split('\n')
      .filter((line) => !before.has(line))
      .map((line) => line.trim());
  };

  describe('changes of a source that alter what it does', () => {
    test('each kind is found, and nothing that does nothing is touched', async () => {
      const [mutants = []] = await facet.mutants([source], RUNTIME);
      for (const [kind, lines] of Object.entries(made)) {
        const found = mutants.filter((mutant) => mutant.kind === kind).flatMap(({ edits }) => madeBy(edits));
        for (const line of lines) assert.ok(found.includes(line), `${kind} makes no ${line} but ${found.join(' | ')}`);
      }
      for (const { edits } of mutants) {
        const after = applyEdits(text, edits);
        assert.notEqual(after, text);
        for (const line of silent) assert.ok(after.includes(line), `${line} is gone in ${madeBy(edits).join(' | ')}`);
      }
    });

    test('an edit begins on one of the lines that are given', async () => {
      const [all = []] = await facet.mutants([source], RUNTIME);
      const starts = (edits: readonly TextEdit[]): number => text.slice(0, edits[0]?.start).split('\n').length;
      const line = starts(all[0]?.edits ?? []);
      const [some = []] = await facet.mutants([{ ...source, lines: new Set([line]) }], RUNTIME);
      assert.ok(some.length > 0 && some.length < all.length);
      const [none = []] = await facet.mutants([{ ...source, lines: new Set() }], RUNTIME);
      assert.deepEqual(none, []);
    });

    test('proposed edits are mutants when they parse and say something else', async () => {
      const put = (added: string) => ({ kind: 'hunk' as const, edits: [{ start: 0, end: 0, text: added }] });
      const real = put('value = 1;\n');
      const proposed = [...idle.map(put), put('((((\n'), real];
      const given = { ...source, lines: new Set<number>(), proposed };
      assert.deepEqual(await facet.mutants([given], RUNTIME), [[real]]);
    });

    test('of a source that cannot be parsed there are none', async () => {
      const broken = ['((((', '\0', '('.repeat(20_000)].map((odd) => ({ ...source, text: odd }));
      const [first, ...others] = await facet.mutants([source, ...broken], RUNTIME);
      assert.ok(first && first.length > 0);
      assert.ok(others.every((found) => found.length === 0));
    });

    test('rewrites keep what a source says to its callers', async () => {
      const [rewrites = []] = await facet.rewrites([source], RUNTIME);
      const found = rewrites.flatMap(({ edits }) => madeBy(edits));
      for (const line of rewritten)
        assert.ok(found.includes(line), `no rewrite makes ${line} but ${found.join(' | ')}`);
    });
  });
}
