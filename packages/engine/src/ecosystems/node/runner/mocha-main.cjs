'use strict';
/*
 * Runs mocha by its own command line, after its options were read as it reads them (.mocharc, package.json of T0) and
 * ours were laid over them. Options for node itself need a second process, as in mocha's own entry.
 */
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join, relative, resolve } = require('node:path');
const { pathToFileURL } = require('node:url');
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');
const reporter = require('./mocha-reporter.cjs');

/**
 * Not options of the repository: they choose another reporter, other processes, less than all tests, or no run at all.
 */
const DROPPED = [
  'reporter',
  'reporter-option',
  'reporter-options',
  'retries',
  'parallel',
  'jobs',
  'bail',
  'watch',
  'watch-files',
  'watch-ignore',
  'dry-run',
  'forbid-only',
  'forbid-pending',
  'fail-zero',
  'pass-on-failing-test-suite',
  'color',
  'colors',
  'diff',
  'full-trace',
  'growl',
  'inline-diffs',
  'list-interfaces',
  'list-reporters',
  'help',
  'version',
  'inspect',
  'inspect-brk',
  'inspect-wait',
  'debug',
  'debug-brk',
  'test',
  'eval',
  'run',
  'config',
  'package',
  'opts',
  'spec',
  'node-option',
  '_',
];

const { request, nonce, emit } = connect();
const { directory, manifest } = findPackage('mocha', request.root, request.files);
const library = (name) =>
  join(
    directory,
    'lib',
    'cli',
    [`${name}.cjs`, `${name}.js`].find((file) => existsSync(join(directory, 'lib', 'cli', file))),
  );
const { loadOptions } = require(library('options'));
const { isNodeFlag } = require(library('node-flags'));

const options = loadOptions([...request.flags, ...(request.flags.length > 0 ? ['--'] : []), ...request.patterns]);
const nodeFlags = takeNodeFlags(options);
if (nodeFlags.length > 0 && !request.isSecond) {
  const child = spawn(process.execPath, [...nodeFlags, __filename], { stdio: ['pipe', 2, 2, 3] });
  child.stdin.end(`${JSON.stringify({ ...request, nonce, isSecond: true })}\n`);
  child.once('exit', (code) => process.exit(code ?? 1));
} else {
  reporter.adopt(emit, request.root);
  emit('start', { runner: `mocha ${manifest.version}` });
  surviveUnloadableFiles();
  run(toArguments(options));
}

function takeNodeFlags(all) {
  const flags = [].concat(all['node-option'] ?? []).map((flag) => `--${flag}`);
  for (const name of Object.keys(all)) {
    if (DROPPED.includes(name) || !isNodeFlag(name)) continue;
    const flag = `--${name.replace(/^v8-(?!options)/, '')}`;
    for (const value of [].concat(all[name])) flags.push(value === true ? flag : `${flag}=${value}`);
    delete all[name];
  }
  return flags;
}

/**
 * mocha gives up when one file cannot be loaded, and what that file left half declared spoils the files after it. So
 * the rest is loaded only to see what else fails, and the launcher is asked to start again without all of those.
 */
function surviveUnloadableFiles() {
  const esm = require(
    [
      join(directory, 'lib', 'nodejs', 'esm-utils.cjs'),
      join(directory, 'lib', 'nodejs', 'esm-utils.js'),
      join(directory, 'lib', 'esm-utils.js'),
    ].find(existsSync),
  );
  esm.loadFilesAsync = async (files, before, after, decorate) => {
    let failed = 0;
    for (const file of files) {
      before(file);
      try {
        after(file, await esm.requireOrImport(resolve(file), decorate));
      } catch (error) {
        failed += 1;
        emit('uncollected', {
          file: relative(request.root, resolve(file)),
          detail: String(error?.stack ?? error).slice(0, 2000),
        });
      }
    }
    if (failed === 0) return;
    emit('again', {});
    process.exit(1);
  };
}

/** The options as command line, in a form that every version of mocha reads. */
function toArguments(all) {
  const specs =
    request.files.length > 0
      ? request.files.filter((file) => !request.excluded.includes(file))
      : [].concat(all._ ?? [], all.spec ?? []);
  const words = [
    ...request.excluded.map((file) => `--ignore=${file}`),
    '--no-config',
    '--no-package',
    '--no-color',
    '--reporter',
    join(__dirname, 'mocha-reporter.cjs'),
  ];
  for (const name of Object.keys(all)) {
    if (name.length === 1 || DROPPED.includes(name) || (/[A-Z]/.test(name) && kebab(name) in all)) continue;
    for (const value of [].concat(all[name])) {
      if (value === true) words.push(`--${name}`);
      else if (value === false) words.push(`--no-${name}`);
      else if (typeof value === 'string' || typeof value === 'number') words.push(`--${name}=${value}`);
    }
  }
  return [...words, ...specs.filter((spec) => typeof spec === 'string')];
}

function kebab(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

async function run(words) {
  process.argv = [process.argv[0], join(directory, 'bin', 'mocha'), ...words];
  const { main } = await import(pathToFileURL(library('cli')).href);
  main(words);
}
