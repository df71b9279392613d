/*
 * Runs the tests of a JavaScript repository and reports each as a record that carries a nonce;
 * `verify/channel-format.md` has the format.
 *
 * This process loads nothing of the repository. It alone knows the nonce and holds the result channel (its standard
 * output). The test runner is a child that reports over a socket of its own, under a nonce of its own; a socket, unlike
 * a pipe, cannot be opened again through /proc. Records of one child cannot be about the files of another.
 */
import { existsSync, realpathSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { findTestFiles } from './find-test-files.mjs';
import innerChannel from './inner-channel.cjs';
import { packageRuns, placed } from './package-runs.mjs';
import { Relay } from './relay.mjs';
import { runChild, runLine } from './run-child.mjs';
import { splitArguments } from './split-arguments.mjs';

const MAINS = { vitest: 'vitest-main.mjs', jest: 'jest-main.cjs', mocha: 'mocha-main.cjs', ava: 'ava-main.mjs' };
/** Of runners that need a process for every file, beside node's own. */
const MAINS_OF_FILES = { tape: 'tape-main.cjs', tap: 'tap-main.cjs', jasmine: 'jasmine-main.cjs' };

const request = JSON.parse(innerChannel.readLine(0));
request.root = realpathSync(request.root);
process.chdir(request.root);
const relay = new Relay(request);
const present = request.files.filter((file) => existsSync(join(request.root, file)));
const { isComplete, exitCode } = await runAll();
for (const file of request.files) if (!present.includes(file)) relay.uncollected(file, 'there is no such file');
if (isComplete) relay.end();
// Nobody but a reader of the log looks at it. What the tests left running must not keep this process.
process.exit(exitCode);

async function runAll() {
  if (request.files.length > 0 && present.length === 0) return { isComplete: true, exitCode: 1 };
  const { runs, unclaimed } = packageRuns(request, present);
  const all = { isComplete: true, exitCode: 0 };
  for (const run of runs) {
    for (const each of run.before) await runLine(each);
    const end = await runOne(run);
    all.isComplete &&= end.isComplete;
    all.exitCode ||= end.exitCode;
  }
  for (const file of unclaimed) relay.uncollected(file, 'it is in no package whose suite is known');
  return all;
}

function runOne(run) {
  if (request.runner === 'node:test') return runFiles(run, `node:test ${process.versions.node}`, asNodeTest);
  const main = MAINS_OF_FILES[request.runner];
  if (main !== undefined)
    return runFiles(run, request.runner, (_script, nodeFlags) => ({ flags: nodeFlags, script: here(main) }));
  return runFramework(run, MAINS[request.runner]);
}

function asNodeTest(script, nodeFlags) {
  return {
    // Ours first: the reporter has its channel before a set-up file of the repository is loaded.
    flags: [
      '--import',
      here('node-test-preload.mjs'),
      ...nodeFlags,
      '--test-reporter',
      here('node-test-reporter.mjs'),
      '--test-reporter-destination',
      'stderr',
    ],
    script,
  };
}

/** Every file is a process of its own, as under `node --test`. A file that dies leaves the others their records. */
async function runFiles(run, name, processOf) {
  const { nodeFlags, flags, patterns, concurrency } = splitArguments(request.runner, run.args);
  const files = run.files.length > 0 ? run.files : findTestFiles(request.runner, run.root, { patterns, flags });
  const waiting = [...files];
  const workers = Math.max(1, concurrency ?? (availableParallelism?.() ?? cpus().length) - 1);
  let exitCode = 0;
  relay.start(name);
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const end = await runChild({
        ...processOf(join(run.root, file), nodeFlags),
        cwd: run.root,
        env: run.env,
        request: { root: run.root, file, flags },
        observations: request.observations,
        onRecord: (record) => relay.record(placed({ ...record, file }, run)),
        onForged: (detail) => relay.forged(detail),
      });
      exitCode ||= end.exitCode ?? 1;
      const path = join(run.directory, file);
      if (!end.ended) relay.uncollected(path, `its process ended before its tests did (${end.how})`);
      else if (end.exitCode !== 0 && end.failed === 0)
        relay.uncollected(path, `its process failed outside of the tests (${end.how})`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return { isComplete: true, exitCode };
}

/**
 * The framework runs in one child, the files in its workers where it has some. A framework that cannot go on past a
 * file that does not load asks to be started again without it.
 */
async function runFramework(run, main) {
  const { nodeFlags, flags, patterns } = splitArguments(request.runner, run.args);
  const excluded = [];
  for (;;) {
    const before = excluded.length;
    const end = await runChild({
      flags: nodeFlags,
      script: here(main),
      cwd: run.root,
      env: run.env,
      request: { root: run.root, files: run.files, flags, patterns, excluded },
      observations: request.observations,
      onRecord: (record) => {
        if (record.type === 'uncollected') excluded.push(record.file);
        const known = placed(record, run);
        if (known) relay.record(known);
      },
      onForged: (detail) => relay.forged(detail),
    });
    const isNothingLeft = run.files.length > 0 && run.files.every((file) => excluded.includes(file));
    if (!end.again || isNothingLeft || excluded.length === before) {
      return { isComplete: end.ended || (end.again && isNothingLeft), exitCode: end.exitCode ?? 1 };
    }
  }
}

function here(name) {
  return join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, name);
}
