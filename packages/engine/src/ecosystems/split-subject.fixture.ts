import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@assay/sandbox';
import { withRun, type RunnerSubject } from './runner-conformance.ts';
import type { Rewritten, SourceText, SplitFacet, SplitRequest } from './split-facet.ts';

/** A runner and a hidden test file of its language, with code that it tells apart. */
export interface SplitSubject extends Pick<RunnerSubject, 'command' | 'launch' | 'home' | 'env'> {
  split: SplitFacet;
  /** The hidden test file. Every test of it holds for `honest`. */
  hidden: SourceText;
  /** Texts of its expectations, of which none may be left in the stripped file. */
  secrets: string[];
  /** Files of the repository with the right code: path to content. */
  honest: Record<string, string>;
  /** Wrong code, and the tests that fail with it. */
  wrong: { name: string; files: Record<string, string>; fails: string[] }[];
  /** Code that makes tests pass which it must not; `fooled`: those that pass as they were written. */
  forged: { name: string; files: Record<string, string>; fooled: string[] }[];
  /** Ids of tests by the best level of their sites. */
  levels: Record<string, 'strong' | 'contain' | 'echo' | 'weak'>;
  /** Ids of tests, of which each has sites that stay inside. */
  inside: string[];
  /** Test with a site that is reached once. */
  once: string;
  /** Two rows of a table whose expectations differ. */
  rows?: [string, string];
  /** A hidden test that sets up what it asks, the code of the fix and of T0, and what is told. */
  setUp?: {
    hidden: SourceText;
    id: string;
    fixed: Record<string, string>;
    before: Record<string, string>;
    told: { setup: string | undefined; expression: string; expected: string; today: string | null }[];
  };
}

/** Statuses by the id of the test. */
export type Results = Map<string, string>;

/** Runs the hidden file as it was written. */
export async function runNative(subject: SplitSubject, files: Record<string, string>): Promise<Results> {
  const results: Results = new Map();
  const scenario = { files: { ...files, [subject.hidden.path]: subject.hidden.text }, run: [subject.hidden.path] };
  await withRun(subject, scenario, ({ report, exec }) => {
    assert.ok(report.started && report.results.size > 0, exec.stderr);
    for (const [id, { status }] of report.results) results.set(id, status);
  });
  return results;
}

/** Runs files in its place, and returns what they observed too. */
export async function runStripped(
  subject: SplitSubject,
  directory: string,
  { rewritten, files }: { rewritten: Pick<Rewritten, 'files'>; files: Record<string, string> },
): Promise<{ results: Results; observed: string }> {
  const observations = join(directory, 'observations');
  await writeFile(observations, '');
  const results: Results = new Map();
  const stripped = Object.fromEntries(rewritten.files.map(({ path, text }) => [path, text]));
  const scenario = { files: { ...files, ...stripped }, run: Object.keys(stripped) };
  await withRun(
    subject,
    scenario,
    ({ report, exec }) => {
      assert.ok(report.started, exec.stderr);
      for (const [id, { status }] of report.results) results.set(id, status);
    },
    { observations },
  );
  return { results, observed: await readFile(observations, 'utf8') };
}

/**
 * Runs the tool in place: every mount of it is a directory of this machine. With `observed` request and observations are
 * its standard input.
 */
export async function ask<Answer>(
  subject: SplitSubject,
  directory: string,
  request: SplitRequest,
  observed?: string,
): Promise<Answer> {
  const environment = { spec: { interpreter: '0' }, env: subject.env() };
  const { argv, env, mounts } = subject.split.tool(environment);
  const onHost = (path: string): string => {
    const mount = mounts.find(({ target }) => path === target || path.startsWith(`${target}/`));
    return mount?.kind === 'read-only' ? join(mount.source, path.slice(mount.target.length)) : path;
  };
  const file = join(directory, 'request.json');
  await writeFile(file, JSON.stringify(request));
  const result = await runCommand([...argv.map(onHost), observed === undefined ? file : '-'], {
    cwd: directory,
    stdin: observed === undefined ? undefined : `${JSON.stringify(request)}\n${observed}`,
    env: { PATH: '/usr/bin:/bin', ...subject.env(), ...env },
    timeoutMs: 120_000,
  });
  assert.equal(result.exitCode, 0, result.stderr.toString());
  // What the tool answers is its own to keep to the contract.
  return JSON.parse(result.stdout.toString()) as Answer;
}
