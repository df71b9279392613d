#!/opt/node/bin/node
'use strict';
/*
 * Stands for npm, npx, pnpm and yarn in the box, under whose name it is called. It does what needs no network: it runs
 * scripts and installed programs. Every package of the project is installed already. Where the task allows packages, it
 * fetches the real one for the rest, as the index had it at T0.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { get } = require('node:http');
const { tmpdir } = require('node:os');
const { basename, dirname, join, relative, resolve } = require('node:path');

const called = basename(process.argv[1]).replace(/\.cjs$/, '');
const INSTALL = /^(?:i|install|ci|add|clean-install|update|up|upgrade|dedupe|rebuild|prune)$/;
const DEPTH = 3;
/** Flags with a value, beside those of npx. */
const VALUED = new Set([
  '--prefix',
  '-C',
  '--dir',
  '--cwd',
  '-w',
  '--workspace',
  '--filter',
  '-F',
  '--loglevel',
  '--registry',
]);

/** The index as of T0, where the task allows packages. */
const registry = process.env.npm_config_registry;

Promise.resolve(main(process.argv.slice(2))).then((code) => (process.exitCode = code));

function main(given) {
  if (called === 'npx') return execute(given, process.cwd());
  const words = called === 'yarn' ? ofYarnWorkspaces(given) : given;
  const { flags, values, rest } = readFlags(words);
  const [command = called === 'yarn' ? 'install' : '', ...more] = rest;
  if (flags.has('--version') || flags.has('-v')) return say(0, `0.0.0 (${called} without a network)`, process.stdout);
  const isInstall = INSTALL.test(command) && more.some((word) => !word.startsWith('-'));
  if (isInstall && registry) return real(called, given);
  const places = placesOf(flags, values);
  if (places.length === 0) return say(1, 'there is no such workspace');
  // What one package cannot do, such as an example, keeps no other from it.
  const codes = places.map((place) => inPlace(place, { command, more, flags, isOfMany: places.length > 1 }));
  return Promise.all(codes).then((ended) => ended.find((code) => code !== 0) ?? 0);
}

/** `yarn workspace NAME …`, `yarn workspaces run …` and `yarn workspaces foreach … run …`, as npm writes them. */
function ofYarnWorkspaces(words) {
  if (words[0] === 'workspace') return ['--workspace', ...words.slice(1)];
  if (words[0] !== 'workspaces') return words;
  const at = words.findIndex((word) => /^(?:run|exec|test)$/.test(word));
  return at === -1 ? words : ['--workspaces', ...words.slice(at)];
}

function inPlace(place, { command, more, flags, isOfMany }) {
  const scripts = manifestOf(place)?.scripts ?? {};
  const optional = flags.has('--if-present') || isEverywhere(flags) || isOfMany;
  if (/^(?:run|run-script|rum|urn)$/.test(command)) {
    const [name, ...args] = more;
    if (name === undefined)
      return say(
        0,
        Object.entries(scripts)
          .map(([key, text]) => `${key}: ${text}`)
          .join('\n'),
        process.stdout,
      );
    if (called === 'yarn' && scripts[name] === undefined && !optional) return execute(more, place);
    return runScript(place, name, { args, optional, scripts });
  }
  if (/^(?:t|tst|test|start|stop|restart)$/.test(command))
    return runScript(place, command[0] === 't' ? 'test' : command, { args: more, optional, scripts });
  if (/^(?:exec|x|dlx)$/.test(command)) return execute(more, place);
  if (INSTALL.test(command) && more.every((word) => word.startsWith('-')))
    return say(0, 'every package of this project is installed');
  if (INSTALL.test(command)) return say(1, `${more.join(' ')} cannot be installed: there is no network`);
  if (called !== 'npm' && scripts[command] !== undefined)
    return runScript(place, command, { args: more, optional, scripts });
  if (called !== 'npm' && command !== '') return execute([command, ...more], place);
  return say(1, `"${command}" needs the real ${called}, or a network. Here: test, start, run, exec, and npx.`);
}

/** Flags stand before the command, or, for npm, before `--`; what follows belongs to the script. */
function readFlags(words) {
  const [flags, values, rest] = [new Set(), new Map(), []];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    const isNamed = rest.length > (/^(?:run|run-script)$/.test(rest[0] ?? '') ? 1 : 0);
    const belongsToScript = called === 'npm' ? /^(?:exec|x)$/.test(rest[0] ?? '') : isNamed;
    if (word === '--' && rest.length > 0) return { flags, values, rest: [...rest, ...words.slice(index + 1)] };
    if (!word.startsWith('-') || belongsToScript) rest.push(word);
    else if (VALUED.has(word)) values.set(word, [...(values.get(word) ?? []), words[(index += 1)] ?? '']);
    else {
      const [name, value] = word.split(/=(.*)/s, 2);
      if (VALUED.has(name)) values.set(name, [...(values.get(name) ?? []), value ?? '']);
      else flags.add(word);
    }
  }
  return { flags, values, rest };
}

function isEverywhere(flags) {
  return ['-ws', '--workspaces', '-r', '--recursive'].some((flag) => flags.has(flag));
}

/** The directories in which a command runs: that of the nearest manifest, or those of workspaces. */
function placesOf(flags, values) {
  const valuesOf = (...names) => names.flatMap((name) => values.get(name) ?? []);
  const start = resolve(valuesOf('--prefix', '-C', '--dir', '--cwd').at(-1) ?? '.');
  const filters = valuesOf('-w', '--workspace', '--filter', '-F');
  if (filters.length > 0) return inOrder(filtered(workspacePackages(start), filters, start));
  if (isEverywhere(flags)) return inOrder(workspacePackages(start));
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return [at];
    if (dirname(at) === at) return [start];
  }
}

/** `name`, `@scope/*`, `./packages/**`, `{packages/a}`, `name...` with what it depends on, and `!name`. */
function filtered(places, filters, start) {
  const isMeant = (place, filter) => {
    const bare = filter.replace(/^\.\.\.\^?|\^?\.\.\.$/g, '').replace(/^\{(.*)\}$/, '$1');
    if (resolve(start, bare) === place) return true;
    const pattern = new RegExp(`^(?:\\./)?${bare.replace(/^\.\//, '').split(/\*+/).map(escaped).join('.*')}$`);
    return pattern.test(manifestOf(place)?.name ?? '') || pattern.test(relative(start, place));
  };
  const [without, wanted] = [true, false].map((isNot) => filters.filter((each) => each.startsWith('!') === isNot));
  const chosen = places.filter((place) => wanted.length === 0 || wanted.some((filter) => isMeant(place, filter)));
  const needed = wanted.some((filter) => filter.endsWith('...')) ? withNeeded(chosen, places) : chosen;
  return needed.filter((place) => !without.some((filter) => isMeant(place, filter.slice(1))));
}

/** Packages of the workspace that one depends on. */
function neededBy(place, places) {
  const { dependencies, devDependencies, peerDependencies } = manifestOf(place) ?? {};
  const names = new Set(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }));
  return places.filter((each) => each !== place && names.has(manifestOf(each)?.name));
}

function withNeeded(chosen, places) {
  const all = new Set(chosen);
  for (const place of all) for (const each of neededBy(place, places)) all.add(each);
  return [...all];
}

/** Each package after those that it depends on. */
function inOrder(places) {
  const done = new Set();
  const seen = new Set();
  const visit = (place) => {
    if (seen.has(place)) return;
    seen.add(place);
    neededBy(place, places).forEach(visit);
    done.add(place);
  };
  places.forEach(visit);
  return [...done];
}

/** What the root says belongs to its workspace; every package below where it says nothing. */
function workspacePackages(start) {
  const all = packagesBelow(start);
  const { workspaces } = manifestOf(start) ?? {};
  const patterns = workspaces?.packages ?? (Array.isArray(workspaces) ? workspaces : pnpmPackages(start));
  const [taken, not] = [false, true].map((isNot) =>
    patterns.filter((each) => each.startsWith('!') === isNot).map((each) => globOf(each.replace(/^!/, ''))),
  );
  if (taken.length === 0) return all;
  const path = (place) => relative(start, place);
  return all.filter(
    (place) => taken.some((glob) => glob.test(path(place))) && !not.some((glob) => glob.test(path(place))),
  );
}

function pnpmPackages(start) {
  const file = join(start, 'pnpm-workspace.yaml');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const list = /^packages:[^\n]*\n((?:[ \t]*(?:-|#).*\n?|[ \t]*\n)*)/m.exec(text)?.[1] ?? '';
  return [...list.matchAll(/^[ \t]*-[ \t]*['"]?([^'"\s#]+)/gm)].map(([, pattern]) => pattern);
}

function globOf(pattern) {
  const parts = pattern
    .replace(/^\.\//, '')
    .replace(/\/$/, '')
    .split(/(\*\*|\*)/);
  const source = parts.map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : escaped(part)));
  return new RegExp(`^${source.join('')}$`);
}

function escaped(text) {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}

function packagesBelow(directory, depth = DEPTH) {
  if (depth === 0) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .map((entry) => join(directory, entry.name))
    .flatMap((place) => [
      ...(existsSync(join(place, 'package.json')) ? [place] : []),
      ...packagesBelow(place, depth - 1),
    ]);
}

function manifestOf(place) {
  try {
    return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  } catch {
    return null;
  }
}

function runScript(place, name, { args, optional, scripts }) {
  if (scripts[name] === undefined) return optional ? 0 : say(1, `there is no script "${name}"`);
  for (const each of [`pre${name}`, name, `post${name}`]) {
    if (scripts[each] === undefined) continue;
    const line = each === name ? [scripts[each], ...args.map(quoted)].join(' ') : scripts[each];
    process.stderr.write(`\n> ${line}\n\n`);
    const code = start('/bin/sh', ['-c', line], place, each);
    if (code !== 0) return code;
  }
  return 0;
}

/** `npx [flags] program [arguments]`. */
function execute(words, place) {
  let at = 0;
  for (; at < words.length && words[at].startsWith('-'); at += 1) {
    if (words[at] === '--') continue;
    if (/^(?:-c|--call)$/.test(words[at])) return start('/bin/sh', ['-c', words[at + 1] ?? ''], place, 'npx');
    if (/^(?:-p|--package)$/.test(words[at])) at += 1;
  }
  const [program, ...args] = words.slice(at).filter((word, index) => index > 0 || word !== '--');
  if (program === undefined) return say(1, 'which program?');
  const file = programFile(program.replace(/(?<=.)@.*$/, ''), place);
  if (file === null && registry) return real('npm', ['exec', '--yes', '--', program, ...args]);
  return file === null
    ? say(1, `${program} is not installed here, and there is no network`)
    : start(file, args, process.cwd(), 'npx');
}

function programFile(name, place) {
  for (const directory of binaries(place)) {
    if (existsSync(join(directory, name))) return join(directory, name);
    const bin = manifestOf(join(dirname(directory), name))?.bin;
    const [first] = typeof bin === 'string' ? [basename(name)] : Object.keys(bin ?? {});
    if (first !== undefined && existsSync(join(directory, first))) return join(directory, first);
  }
  return null;
}

/** `node_modules/.bin` of a directory and of those above, nearest first. */
function binaries(place) {
  const found = [];
  for (let at = resolve(place); ; at = dirname(at)) {
    found.push(join(at, 'node_modules', '.bin'));
    if (dirname(at) === at) return found;
  }
}

function start(file, args, cwd, event) {
  const manifest = manifestOf(cwd) ?? {};
  const env = {
    ...process.env,
    PATH: [...binaries(cwd), process.env.PATH].join(':'),
    INIT_CWD: process.cwd(),
    npm_lifecycle_event: event,
    npm_package_name: String(manifest.name ?? ''),
    npm_package_version: String(manifest.version ?? ''),
    npm_execpath: process.argv[1],
    npm_node_execpath: process.execPath,
  };
  const { status, signal, error } = spawnSync(file, args, { cwd, env, stdio: 'inherit' });
  if (error) return say(1, error.message);
  return status ?? (signal === null ? 1 : 130);
}

/** Becomes the package manager itself: the newest of T0 that runs on this node. */
async function real(manager, words) {
  try {
    const directory = join(tmpdir(), `assay-${manager}`, 'package');
    if (!existsSync(join(directory, 'package.json'))) await fetchManager(manager, dirname(directory));
    const { bin } = manifestOf(directory) ?? {};
    const program = join(directory, typeof bin === 'string' ? bin : bin[manager]);
    const { status, error } = spawnSync(process.execPath, [program, ...words], { stdio: 'inherit' });
    return error ? say(1, error.message) : (status ?? 1);
  } catch (error) {
    return say(1, `${manager}: ${error.message}`);
  }
}

async function fetchManager(manager, directory) {
  const { versions } = JSON.parse(String(await download(`${registry}${manager}`)));
  const numbers = (version) => version.split('.').map(Number);
  const [newest] = Object.keys(versions)
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version) && runsHere((versions[version].engines ?? {}).node))
    .sort((a, b) => compare(numbers(b), numbers(a)));
  if (newest === undefined) throw new Error(`at T0 the index had none for node ${process.version}`);
  mkdirSync(directory, { recursive: true });
  const archive = join(directory, `${newest}.tgz`);
  writeFileSync(archive, await download(versions[newest].dist.tarball));
  const { status } = spawnSync('tar', ['-xzf', archive, '--no-same-owner', '-C', directory], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`its archive cannot be unpacked`);
}

/** Of `^18.17.0 || >=20.5.0` and the like; what it does not understand, it lets through. */
function runsHere(range) {
  const here = process.versions.node.split('.').map(Number);
  return String(range ?? '*')
    .split('||')
    .some((part) =>
      [...part.matchAll(/(\^|~|>=|<=|<|>|=|)\s*v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?/g)].every(
        ([, operator, ...digits]) => {
          const other = digits.filter((digit) => /^\d+$/.test(digit ?? '')).map(Number);
          const order = compare(here.slice(0, other.length), other);
          if (operator === '>=') return order >= 0;
          if (operator === '>') return order > 0;
          if (operator === '<=') return order <= 0;
          if (operator === '<') return order < 0;
          return here[0] === other[0] && (operator === '' || operator === '=' ? order === 0 : order >= 0);
        },
      ),
    );
}

function compare(a, b) {
  const at = a.findIndex((digit, index) => digit !== b[index]);
  return at < 0 ? 0 : a[at] - b[at];
}

function download(address) {
  return new Promise((done, fail) => {
    get(address, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        answer.statusCode === 200
          ? done(Buffer.concat(chunks))
          : fail(new Error(`the index answers ${answer.statusCode}`)),
      );
    }).on('error', fail);
  });
}

function say(code, text, stream = process.stderr) {
  stream.write(`${text}\n`);
  return code;
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
