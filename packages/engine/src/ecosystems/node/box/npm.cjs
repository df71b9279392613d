#!/opt/node/bin/node
'use strict';
/*
 * Stands for npm, npx, pnpm and yarn in the box, under whose name it is called. It does what needs no network: it runs
 * scripts and installed programs. Every package of the project is installed already.
 */
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync, readdirSync } = require('node:fs');
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

process.exitCode = main(process.argv.slice(2));

function main(given) {
  if (called === 'npx') return execute(given, process.cwd());
  const words = called === 'yarn' ? ofYarnWorkspaces(given) : given;
  const { flags, values, rest } = readFlags(words);
  const [command = called === 'yarn' ? 'install' : '', ...more] = rest;
  if (flags.has('--version') || flags.has('-v')) return say(0, `0.0.0 (${called} without a network)`, process.stdout);
  const places = placesOf(flags, values);
  if (places.length === 0) return say(1, 'there is no such workspace');
  // What one package cannot do, such as an example, keeps no other from it.
  const codes = places.map((place) => inPlace(place, { command, more, flags, isOfMany: places.length > 1 }));
  return codes.find((code) => code !== 0) ?? 0;
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

function say(code, text, stream = process.stderr) {
  stream.write(`${text}\n`);
  return code;
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
