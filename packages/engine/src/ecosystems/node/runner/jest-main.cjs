'use strict';
/*
 * Runs jest by its own command line. Its workers, which load the tests, are processes of their own where jest can be
 * made to use them (29.1 and later, or more than one file).
 */
const { join } = require('node:path');
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');
const reporter = require('./jest-reporter.cjs');

const REPORTER = join(__dirname, 'jest-reporter.cjs');
/** So high that no worker is ever replaced; that it is set is what makes jest use workers for a single file too. */
const NEVER = '1000000MB';
const REFUSED =
  /^(--(watch|coverage|collectCoverage|reporters|runInBand|maxWorkers|bail|updateSnapshot|onlyChanged|onlyFailures|lastCommit|findRelatedTests|notify|verbose|silent|color|ci|json|outputFile|logHeapUsage|detectOpenHandles|forceExit|listTests|showConfig|shard|testResultsProcessor)|-(i|b|o|u|f|w)$)/;

main().catch((error) => {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
});

async function main() {
  const { request, emit } = connect();
  const { directory, manifest } = findPackage('jest', request.root, request.files);
  reporter.adopt(emit);
  emit('start', { runner: `jest ${manifest.version}` });
  const [major, minor] = manifest.version.split('.').map(Number);
  const words = [
    ...withoutRefused(request.flags),
    '--ci',
    '--coverage=false',
    '--colors=false',
    '--bail=0',
    '--watchman=false',
    '--passWithNoTests',
    '--maxWorkers=2',
    ...(major > 29 || (major === 29 && minor >= 1) ? [`--workerIdleMemoryLimit=${NEVER}`] : []),
    `--reporters=${REPORTER}`,
    ...(request.files.length > 0 ? ['--runTestsByPath', ...request.files] : request.patterns),
  ];
  process.argv = [process.argv[0], join(directory, 'bin', 'jest.js'), ...words];
  process.env.NODE_ENV ??= 'test';
  await require(directory).run(words);
  // What the tests left open would keep jest.
  process.exit(process.exitCode ?? 0);
}

function withoutRefused(words) {
  const kept = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (!REFUSED.test(word)) kept.push(word);
    else if (/^(-w|--(reporters|maxWorkers|shard|outputFile|testResultsProcessor))$/.test(word)) index += 1;
  }
  return kept;
}
