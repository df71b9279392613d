import type { Place } from '@assay/protocol';
import type { Act } from './act.ts';
import { patchedPaths } from './patched-paths.ts';
import { splitShell, type RawCommand } from './shell-words.ts';

const MOST_CHARACTERS = 256 * 1024;
const DEEPEST = 5;
const KEYWORDS = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  'time',
  '!',
  '{',
  '}',
  'coproc',
]);
const SHELL = /^(?:ba|da|z|k|a)?sh$/;
const INTERPRETER = /^(?:python[\d.]*|pypy\d*|node|nodejs|deno|bun|ruby|perl|php)$/;
const VARIABLE = /^[A-Za-z_]\w*\+?=/;
/** Commands that run the command which follows, and their options that take a value. */
const RUNNERS: Readonly<Record<string, { valued: RegExp; skip: number }>> = {
  sudo: { valued: /^-[ugh]$/, skip: 0 },
  env: { valued: /^-[uC]$/, skip: 0 },
  timeout: { valued: /^-[ks]$/, skip: 1 },
  nice: { valued: /^-n$/, skip: 0 },
  ionice: { valued: /^-[cn]$/, skip: 0 },
  nohup: { valued: /^$/, skip: 0 },
  setsid: { valued: /^$/, skip: 0 },
  stdbuf: { valued: /^-[ioe]$/, skip: 0 },
  command: { valued: /^$/, skip: 0 },
  exec: { valued: /^-a$/, skip: 0 },
  builtin: { valued: /^$/, skip: 0 },
  xargs: { valued: /^-[IdEnLPs]$/, skip: 0 },
  unbuffer: { valued: /^$/, skip: 0 },
  busybox: { valued: /^$/, skip: 0 },
};
/** Their first operand is a pattern or a program, no file. */
const FIRST_IS_PATTERN = /^(?:[efrz]?grep|egrep|rg|ag|ack|sed|awk|gawk|mawk|jq|perl)$/;
const NAMES_NO_FILE =
  /^(?:echo|printf|export|declare|set|unset|test|\[|\[\[|kill|sleep|true|false|alias|for|case|function|read)$/;

/**
 * The acts that a shell script amounts to, near enough for rules: names of commands, the files they name and write, and
 * code that they are given.
 */
export function readShell(script: string, place: Place, depth = 0): Act[] {
  if (depth > DEEPEST) return [];
  return splitShell(script.slice(0, MOST_CHARACTERS)).flatMap((raw) =>
    readCommand(raw, place, depth).map((act) =>
      (act.kind === 'path' || act.kind === 'write') && act.within === undefined ? { ...act, within: raw.text } : act,
    ),
  );
}

function readCommand(raw: RawCommand, place: Place, depth: number): Act[] {
  const acts: Act[] = raw.nested.flatMap((script) => readShell(script, place, depth + 1));
  for (const text of raw.writes) acts.push({ kind: 'write', text, place });
  for (const text of raw.reads) acts.push({ kind: 'path', text, place });
  const words = [...raw.words];
  while (words[0] !== undefined && (KEYWORDS.has(words[0]) || VARIABLE.test(words[0]))) {
    const word = words.shift() ?? '';
    if (VARIABLE.test(word)) acts.push({ kind: 'variable', text: word, place });
  }
  return [...acts, ...readWords(words, raw.input, place, depth)];
}

function readWords(words: string[], input: string, place: Place, depth: number): Act[] {
  const [first, ...given] = words;
  if (first === undefined || depth > DEEPEST) return [];
  const name = first.slice(first.lastIndexOf('/') + 1);
  const rest = name === 'git' ? withoutGitOptions(given) : given;
  const acts: Act[] = [{ kind: 'command', name, text: [name, ...rest].join(' '), place }];
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (runner !== undefined) return [...acts, ...readRunner(rest, { ...runner, input }, place, depth)];
  if (name === 'eval') return [...acts, ...readShell(rest.join(' '), place, depth + 1)];
  const inline = valueAfter(rest, SHELL.test(name) ? /^-[a-z]*c$/ : /^-(?:c|e|p|pe|ne|-eval|-print)$/);
  if (SHELL.test(name))
    return [...acts, ...readShell(inline ?? input, place, depth + 1), ...paths(inline === null ? rest : [], place)];
  if (INTERPRETER.test(name)) {
    const code = inline ?? input;
    if (code !== '') acts.push({ kind: 'code', text: code, place });
    return inline === null ? [...acts, ...paths(operands(rest), place)] : acts;
  }
  if (name === 'export' || name === 'declare')
    acts.push(...rest.filter((word) => VARIABLE.test(word)).map((text): Act => ({ kind: 'variable', text, place })));
  for (const path of patchedPaths(`${input}\n${name === 'apply_patch' ? rest.join('\n') : ''}`))
    acts.push({ kind: 'write', text: path, place });
  return [
    ...acts,
    ...written(name, rest).map((text): Act => ({ kind: 'write', text, place })),
    ...paths(named(name, rest), place),
    ...executed(name, rest, place, depth),
  ];
}

function readRunner(
  words: string[],
  { valued, skip, input }: { valued: RegExp; skip: number; input: string },
  place: Place,
  depth: number,
): Act[] {
  const rest = [...words];
  const acts: Act[] = [];
  for (let word = rest[0]; word !== undefined && (word.startsWith('-') || VARIABLE.test(word)); word = rest[0]) {
    rest.splice(0, valued.test(word) ? 2 : 1);
    if (VARIABLE.test(word)) acts.push({ kind: 'variable', text: word, place });
  }
  return [...acts, ...readWords(rest.slice(skip), input, place, depth + 1)];
}

/** `find … -exec COMMAND ;` */
function executed(name: string, words: string[], place: Place, depth: number): Act[] {
  const at = name === 'find' ? words.findIndex((word) => /^-(?:exec|execdir|ok)$/.test(word)) : -1;
  return at === -1
    ? []
    : readWords(
        words.slice(at + 1).filter((word) => word !== '{}' && word !== '+' && word !== ';'),
        '',
        place,
        depth + 1,
      );
}

/** Drops the options before git's subcommand. */
function withoutGitOptions(words: readonly string[]): string[] {
  let at = 0;
  while (words[at]?.startsWith('-') === true)
    at += /^(?:-c|-C|--git-dir|--work-tree|--namespace)$/.test(words[at] ?? '') ? 2 : 1;
  return words.slice(at);
}

const operands = (words: readonly string[]): string[] => words.filter((word) => !word.startsWith('-'));

const paths = (found: readonly string[], place: Place): Act[] =>
  found.map((text): Act => ({ kind: 'path', text, place }));

function named(name: string, words: string[]): string[] {
  if (NAMES_NO_FILE.test(name)) return [];
  // Only the places count here: the text of the command has the expression.
  if (name === 'find')
    return words.slice(
      0,
      Math.max(
        0,
        words.findIndex((word) => word.startsWith('-') || word === '(' || word === '!'),
      ),
    );
  if (name === 'git')
    return words[0] === 'grep' ? operands(words).slice(2) : words[0] === 'commit' ? [] : operands(words).slice(1);
  const patternGiven = words.some((word) => /^(?:-e|-f|--regexp|--expression|--file)/.test(word));
  return FIRST_IS_PATTERN.test(name) && !patternGiven ? operands(words).slice(1) : operands(words);
}

function written(name: string, words: string[]): string[] {
  const files = operands(words);
  if (name === 'tee' || name === 'touch' || name === 'truncate' || name === 'rm') return files;
  if (name === 'cp' || name === 'mv' || name === 'ln' || name === 'install' || name === 'rsync')
    return files.length > 1 ? files.slice(-1) : [];
  if (name === 'sed') return words.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word)) ? named(name, words) : [];
  if (name === 'perl') return words.some((word) => /^-[a-z]*i/.test(word)) ? files.slice(1) : [];
  if (name === 'dd') return words.filter((word) => word.startsWith('of=')).map((word) => word.slice(3));
  return [];
}

function valueAfter(words: readonly string[], option: RegExp): string | null {
  const at = words.findIndex((word) => option.test(word));
  return at === -1 ? null : (words[at + 1] ?? '');
}
