/*
 * Runs ava by its own command line. Tests run in processes of their own, as its worker threads would share this one,
 * which has the channel; ava's configuration, which is T0's, does.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AvaReporter } from './ava-reporter.mjs';

const require = createRequire(import.meta.url);
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');

/** ava gives up after ten idle seconds otherwise, which a busy machine needs to start a process. */
const IDLE = '10m';
const REFUSED =
  /^(--(watch|update-snapshots|tap|verbose|fail-fast|no-fail-fast|color|no-color|reset-cache|worker-threads|no-worker-threads|timeout|concurrency)|-[wutvTc])(=.*)?$/;
const REFUSED_VALUED = /^(--(timeout|concurrency)|-[Tc])$/;

const { request, emit } = connect();
const { directory, manifest } = findPackage('ava', request.root, request.files);
const major = Number(manifest.version.split('.')[0]);
const reporter = new AvaReporter(emit, request.root, request.files);
emit('start', { runner: `ava ${manifest.version}` });

const load = async (file) => (await import(pathToFileURL(join(directory, 'lib', file)).href)).default;
if (major < 4) await settleColours();
const Api = await load('api.js');
const { run } = Api.prototype;
Api.prototype.run = async function observed(...args) {
  this.on('run', (event) => {
    const { status } = event.data ?? event;
    status.on('stateChange', (change) => reporter.note(change.data ?? change));
  });
  const status = await run.apply(this, args);
  // Its events come a moment later than what causes them.
  await new Promise((resolve) => setTimeout(resolve, 50));
  reporter.finish();
  return status;
};
process.argv = [process.argv[0], join(directory, 'cli.js'), ...words()];
const cli = await load('cli.js');
await (cli.run ?? cli)();

/** The modules of early versions want this when they are loaded; their command line does it once, before. */
async function settleColours() {
  const colours = await load('chalk.js');
  const settled = colours.set({ level: 0 });
  colours.set = () => settled;
}

function words() {
  return [
    ...withoutRefused(request.flags),
    '--tap',
    '--no-color',
    '--no-fail-fast',
    '--concurrency=2',
    `--timeout=${IDLE}`,
    ...(major >= 4 ? ['--no-worker-threads'] : []),
    ...(request.files.length > 0 ? request.files : request.patterns),
  ];
}

function withoutRefused(flags) {
  const kept = [];
  for (let index = 0; index < flags.length; index += 1) {
    if (!REFUSED.test(flags[index])) kept.push(flags[index]);
    else if (REFUSED_VALUED.test(flags[index])) index += 1;
  }
  return kept;
}
