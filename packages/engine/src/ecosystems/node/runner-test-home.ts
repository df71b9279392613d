import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { runCommand } from '@assay/sandbox';
import { runnerConformance, type RunnerSubject } from '../runner-conformance.ts';
import { nodeScenarios, type Dialect } from './node-runner-scenarios.ts';
import { launchNode } from './runner/launch-node.ts';

/** Declares the conformance tests of one version of a runner, installed into a directory of its own. */
export function nodeRunnerConformance(
  runner: RunnerSubject['command']['runner'],
  packages: string[],
  dialect: Dialect,
): RunnerSubject {
  const subject: RunnerSubject = {
    command: { ecosystem: 'node', runner },
    launch: launchNode,
    home: installedRunner(packages),
    env: () => ({ ASSAY_NODE: process.env['ASSAY_TEST_NODE'] ?? process.execPath }),
    ...nodeScenarios(dialect),
  };
  runnerConformance(subject);
  return subject;
}

/**
 * Returns a function that installs packages into a directory of its own, once, and answers with it; it goes when the
 * tests of the file are over.
 */
export function installedRunner(packages: string[]): () => Promise<string> {
  let installed: Promise<string> | undefined;
  let place = '';
  after(() => rm(place, { recursive: true, force: true, maxRetries: 3 }));

  async function install(): Promise<string> {
    place = await mkdtemp(join(tmpdir(), 'assay-runner-'));
    await writeFile(join(place, 'package.json'), '{"private":true}');
    if (packages.length === 0) return place;
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
    );
    const argv = [
      'npm',
      'install',
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--ignore-scripts',
      '--loglevel=error',
      ...packages,
    ];
    const result = await runCommand(argv, { cwd: place, env });
    assert.equal(result.exitCode, 0, String(result.stderr));
    return place;
  }

  return () => (installed ??= install());
}
