'use strict';
/*
 * Runs one test file that uses tap (12 to 21), in a process of its own, as `node` would. What tap's root says of itself
 * is read from the parser that it has for this, not from what is printed.
 */
const { existsSync, readFileSync } = require('node:fs');
const { createRequire, register } = require('node:module');
const { dirname, extname, join, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');

/** tap gives a file and its tests thirty seconds otherwise, which is little on a busy machine. */
const TIMEOUT_SEC = '240';

const { request, emit } = connect();
const file = resolve(request.root, request.file);
const { directory, manifest } = findPackage('tap', request.root, [request.file]);
const major = Number(manifest.version.split('.')[0]);
process.env.TAP = '1';
process.env.TAP_TIMEOUT = TIMEOUT_SEC;
// Names of snapshots and fixtures are made of it.
process.argv = [process.argv[0], file];

const tests = [];
let isOver = false;
let reported = false;
process.once('exit', () => report(false));
main().catch((error) => {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
});

async function main() {
  const tap = require(directory);
  const root = tap.t ?? tap;
  observe(root.parser, []);
  root.parser.once('complete', () => (isOver = true));
  // Before tap's own, which ends the root; after it, all that there is has been said.
  process.once('beforeExit', () => setImmediate(() => report(isOver)));
  await load();
}

async function load() {
  if (major >= 18 && register) await loadPlugins();
  else if (/\.[cm]?tsx?$/.test(file)) createRequire(join(request.root, 'package.json'))('ts-node/register');
  if (isModule(file)) await import(pathToFileURL(file).href);
  else require(file);
}

/** What tap's own command has node load first: mocks of modules, and TypeScript. */
async function loadPlugins() {
  const ofTap = createRequire(join(directory, 'package.json'));
  const { importLoaders = [] } = ofTap('@tapjs/test');
  const ofPlugins = createRequire(ofTap.resolve('@tapjs/test'));
  for (const name of importLoaders) await import(pathToFileURL(moduleOf(ofPlugins, name)).href);
}

/** The file that `import` takes for `@scope/name/part`; `require` does not see those for modules alone. */
function moduleOf(from, name) {
  const [owner, part] = [name.split('/').slice(0, 2).join('/'), name.split('/').slice(2).join('/')];
  const manifestPath = from.resolve(`${owner}/package.json`);
  let target = JSON.parse(readFileSync(manifestPath, 'utf8')).exports?.[`./${part}`];
  while (typeof target === 'object' && target !== null) target = target.import ?? target.node ?? target.default;
  return join(dirname(manifestPath), String(target));
}

function isModule(path) {
  const extension = extname(path);
  if (extension === '.mjs' || extension === '.mts') return true;
  if (extension === '.cjs' || extension === '.cts') return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    const nearest = join(at, 'package.json');
    if (existsSync(nearest)) return JSON.parse(readFileSync(nearest, 'utf8')).type === 'module';
    if (dirname(at) === at) return false;
  }
}

/**
 * Takes down the points of a test. One that closes a test inside of it is that test; others are assertions, of which
 * only those of the file itself count by themselves.
 */
function observe(parser, names) {
  let inner = null;
  parser.on('child', (child) => {
    inner = child;
    observe(child, [...names, String(child.name)]);
  });
  parser.on('assert', (point) => {
    const isTest = inner !== null;
    if (isTest || names.length === 0) tests.push({ names: [...names, nameOf(point)], status: statusOf(point) });
    inner = null;
  });
}

/** Early versions leave the time in the name of a test with a hash sign. */
function nameOf({ name }) {
  return String(name).replace(/ # time=[\d.]+m?s$/, '');
}

function statusOf({ ok, skip, todo }) {
  // tap does not run what is to do; only an assertion of that kind can fail.
  if (skip || (todo && ok)) return 'skipped';
  if (todo) return 'xfailed';
  return ok ? 'passed' : 'failed';
}

/** `isWhole`: every test came to its end. Else the process is ending early, and that of its tests is known. */
function report(isWhole) {
  if (reported) return;
  reported = true;
  for (const { names, status } of tests)
    emit('test', { file: request.file, title: names.join(' > '), status, durationMs: 0 });
  if (isWhole) emit('end', {});
}
