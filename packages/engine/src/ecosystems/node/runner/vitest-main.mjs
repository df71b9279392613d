/*
 * Runs vitest by its programming interface. Tests run in forked processes, so what they load does not share this one,
 * which has the channel; vitest's configuration, which is T0's, does.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VitestReporter } from './vitest-reporter.mjs';

const require = createRequire(import.meta.url);
const { connect } = require('./inner-channel.cjs');
const { findPackage } = require('./find-package.cjs');

const SHORT = { c: 'config', r: 'root', t: 'testNamePattern' };

const { request, emit } = connect();
const { directory, manifest } = findPackage('vitest', request.root, request.files);
const asked = request.files.map((file) => join(request.root, file));
const reporter = new VitestReporter(emit, asked);
emit('start', { runner: `vitest ${manifest.version}` });

const entry = manifest.exports['./node'];
const path = typeof entry === 'string' ? entry : (entry.import?.default ?? entry.import ?? entry.default);
const { startVitest } = await import(pathToFileURL(join(directory, path)).href);
const filters = asked.length > 0 ? asked : request.patterns;
// Early versions end the process when no file is theirs.
process.once('exit', () => reporter.finish());
try {
  const vitest = await startVitest('test', filters, { ...toOptions(request.flags), ...ownOptions(manifest.version) });
  reporter.finish();
  await Promise.race([vitest?.close(), new Promise((resolve) => setTimeout(resolve, 2000))]);
} catch (error) {
  process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
}
process.exit(process.exitCode ?? 0);

function ownOptions(version) {
  const [major] = version.split('.').map(Number);
  return {
    run: true,
    watch: false,
    update: false,
    retry: 0,
    bail: 0,
    ui: false,
    open: false,
    api: false,
    color: false,
    passWithNoTests: true,
    allowOnly: true,
    coverage: { enabled: false },
    reporters: [reporter],
    outputFile: undefined,
    shard: undefined,
    silent: false,
    cache: false,
    // A stripped test asserts nothing.
    ...(process.env.ASSAY_OBSERVATIONS === undefined ? {} : { expect: { requireAssertions: false } }),
    ...(major === 0 ? { threads: false } : { pool: 'forks', typecheck: { enabled: false } }),
  };
}

/** Flags of the command line as vitest's options: `--a.b=1`, `--a 1`, `--a`, `--no-a`. */
function toOptions(flags) {
  const options = {};
  for (let index = 0; index < flags.length; index += 1) {
    const [, name, inline] = /^--?([^=]+)(?:=(.*))?$/s.exec(flags[index]) ?? [];
    if (name === undefined) continue;
    const next = flags[index + 1];
    const takesNext = inline === undefined && next !== undefined && !next.startsWith('-');
    if (takesNext) index += 1;
    const isNegated = inline === undefined && name.startsWith('no-');
    set(
      options,
      (isNegated ? name.slice(3) : (SHORT[name] ?? name)).split('.'),
      isNegated ? false : toValue(inline ?? (takesNext ? next : 'true')),
    );
  }
  return options;
}

function set(options, [first, ...rest], value) {
  const key = first.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  if (rest.length > 0) set((options[key] = typeof options[key] === 'object' ? options[key] : {}), rest, value);
  else if (key in options && !['config', 'root', 'dir', 'mode', 'environment'].includes(key))
    options[key] = [].concat(options[key], value);
  else options[key] = value;
}

function toValue(text) {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
}
