'use strict';
/*
 * Runs one file of specs with jasmine (2 to 5), in a process of its own, with the helpers and settings that the
 * repository's configuration names.
 */
const { existsSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');

const { request, emit } = connect();
const { directory } = findPackage('jasmine', request.root, [request.file]);
const exit = process.exit.bind(process);

main().catch((error) => {
  process.stderr.write(`${error?.stack ?? error}\n`);
  exit(1);
});

async function main() {
  const Jasmine = require(directory);
  const jasmine = new (Jasmine.default ?? Jasmine)({ projectBaseDir: request.root });
  const { config, helpers } = readFlags(request.flags);
  await jasmine.loadConfigFile(config);
  if (helpers.length > 0) jasmine.addHelperFiles?.(helpers);
  // The order is another one in every run otherwise, and one failure would hide what comes after it.
  jasmine.randomizeTests(false);
  jasmine.stopOnSpecFailure?.(false);
  // Jasmine ends the process by it.
  jasmine.exit = () => {};
  jasmine.exitOnCompletion = false;
  jasmine.clearReporters();
  jasmine.addReporter(reporter());
  await jasmine.execute([resolve(request.root, request.file)]);
}

/** `--config=x` and `--helper=x` are jasmine's own. */
function readFlags(flags) {
  const values = (name) =>
    flags.filter((flag) => flag.startsWith(`--${name}=`)).map((flag) => flag.slice(name.length + 3));
  const [config] = values('config');
  return { config: config ?? fallback(), helpers: values('helper') };
}

/** Where the newest look; the oldest know JSON alone. */
function fallback() {
  return ['mjs', 'js', 'json']
    .map((end) => `spec/support/jasmine.${end}`)
    .find((path) => existsSync(join(request.root, path)));
}

function reporter() {
  const names = [];
  let isRed = false;
  const tell = (title, { failedExpectations = [] }) => {
    for (const { message, stack } of failedExpectations) process.stderr.write(`${title}\n${stack || message}\n`);
    isRed ||= failedExpectations.length > 0;
    return failedExpectations.length > 0;
  };
  return {
    suiteStarted: ({ description }) => void names.push(description),
    suiteDone: (result) => {
      // Of hooks that run once for all; its specs are the other records.
      const title = names.join(' > ');
      if (tell(title, result)) emit('test', { file: request.file, title, status: 'error', durationMs: 0 });
      names.pop();
    },
    specDone: (result) => {
      const title = [...names, result.description].join(' > ');
      tell(title, result);
      emit('test', { file: request.file, title, status: statusOf(result), durationMs: result.duration ?? 0 });
    },
    jasmineDone: (result) => {
      tell('outside of every spec', result ?? {});
      emit('end', {});
      setImmediate(() => exit(isRed ? 1 : 0));
    },
  };
}

function statusOf({ status }) {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}
