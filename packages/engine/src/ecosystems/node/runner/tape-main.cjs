'use strict';
/*
 * Runs one test file that uses tape, in a process of its own, as `node` would. The harness of the file's tape has its
 * stream from here before the file can ask for another.
 */
const { existsSync, readFileSync } = require('node:fs');
const { dirname, extname, join, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');

const { request, emit } = connect();
const file = resolve(request.root, request.file);
const { directory } = findPackage('tape', request.root, [request.file]);
const tape = require(directory);
/** Each test with its titles and what it asserted, in the order in which they start. */
const tests = [];
let reported = false;

process.once('exit', () => report(false));
// A file that is a module registers its tests later than tape would start.
if (typeof tape.wait === 'function') tape.wait();
const { _results: results } = tape.getHarness();
results.on('_push', (test) => observe(test));
results.once('done', () => report(true));
process.argv = [process.argv[0], file];
load().then(
  () => tape.run?.(),
  (error) => {
    process.stderr.write(`${error?.stack ?? error}\n`);
    process.exit(1);
  },
);

async function load() {
  if (!isModule(file)) return void require(file);
  await import(pathToFileURL(file).href);
}

function isModule(path) {
  if (extname(path) === '.mjs') return true;
  if (extname(path) !== '.js') return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    const manifest = join(at, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type === 'module';
    if (dirname(at) === at) return false;
  }
}

function observe(test, parent) {
  const names = [...(parent?.names ?? []), String(test.name)];
  const { _skip: skip, _todo: todo } = test;
  const seen = { names, parent, skip, todo, asserts: [], isOver: false };
  test.once('prerun', () => tests.push(seen));
  test.on('test', (inner) => observe(inner, seen));
  test.on('end', () => (seen.isOver = true));
  test.on('result', (result) => {
    if (result === null || typeof result !== 'object') return;
    seen.asserts.push({ ok: result.ok === true, skip: Boolean(result.skip), todo: Boolean(result.todo) });
  });
}

/** `isWhole`: every test came to its end. Else the process is ending early, and that of its tests is known. */
function report(isWhole) {
  if (reported) return;
  reported = true;
  for (const test of tests)
    emit('test', { file: request.file, title: test.names.join(' > '), status: statusOf(test), durationMs: 0 });
  if (isWhole) emit('end', {});
}

function statusOf(test) {
  if (test.skip) return 'skipped';
  const asserts = assertsOf(test);
  const passed = test.isOver && asserts.every(({ ok, todo }) => ok || todo);
  if (test.todo || asserts.some(({ ok, todo }) => todo && !ok))
    return passed && asserts.every(({ ok }) => ok) ? 'xpassed' : test.isOver ? 'xfailed' : 'failed';
  if (passed && asserts.length > 0 && asserts.every(({ skip }) => skip)) return 'skipped';
  return passed ? 'passed' : 'failed';
}

/** A test fails with the tests inside of it. */
function assertsOf(test) {
  const inner = tests.filter(({ parent }) => parent === test);
  return [...test.asserts, ...inner.filter(({ skip, todo }) => !skip && !todo).flatMap(assertsOf)];
}
