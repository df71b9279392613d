import { posix } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import type { Mark } from './mark.ts';

/** A file of T0. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface WrongFix {
  path: string;
  /** The whole file with the guard in it. */
  text: string;
  /** A unified diff against T0. */
  patch: string;
  /** What a test of such a fix would look like. */
  test: { name: string; text: string };
}

/**
 * The function that the guard goes into: the lines of its head and of the first line of its body, and what it takes.
 */
interface Place {
  head: number;
  body: number;
  name: string;
  argument: string;
  indent: string;
}

const PYTHON_HEAD = /^def (?<name>[a-z]\w*)\((?<argument>[a-z]\w*)[^()]*\)(?:\s*->\s*[^:]+)?:\s*$/;
const NODE_HEADS = [
  /^(?:export )?(?:default )?(?:async )?function\*?\s+(?<name>\w+)\s*(?:<[^>]*>)?\(\s*(?<argument>[a-z]\w*)\b.*\{\s*$/,
  /^(?:(?:export )?(?:const|let|var) |(?:module\.)?exports\.)(?<name>\w+)\s*=\s*(?:async )?function\b[\w\s]*\(\s*(?<argument>[a-z]\w*)\b.*\{\s*$/,
  /^(?:(?:export )?(?:const|let|var) |(?:module\.)?exports\.)(?<name>\w+)\s*=\s*(?:async )?\(?(?<argument>[a-z]\w*)\b.*=>\s*\{\s*$/,
];

export const isPython = (path: string): boolean => path.endsWith('.py');

/**
 * A fix that fixes nothing: a guard against more than an odd number of something. The number and the name of its
 * constant are the mark. Null when the file has no function that it would suit.
 */
export function writeWrongFix({ path, text }: SourceFile, mark: Mark): WrongFix | null {
  return guard({ path, text }, text, mark);
}

/** As {@link writeWrongFix}, in a function that is added at the end. */
export function appendWrongFix({ path, text }: SourceFile, mark: Mark): WrongFix | null {
  const added = isPython(path)
    ? '\n\ndef check_length(value):\n    return value\n'
    : '\nfunction checkLength(value) {\n  return value;\n}\n';
  return guard({ path, text }, `${text}${text.endsWith('\n') ? '' : '\n'}${added}`, mark);
}

function guard({ path, text }: SourceFile, grown: string, mark: Mark): WrongFix | null {
  const lines = grown.split('\n');
  const place = isPython(path) ? placeInPython(lines) : placeInNode(lines);
  if (place === null) return null;
  const constant = mark.identifier.toUpperCase();
  const [before, within] = isPython(path)
    ? [
        [`${constant} = ${mark.constant}`, '', ''],
        [`if len(repr(${place.argument})) > ${constant}:`, `    raise ValueError("longer than ${constant}")`],
      ]
    : [
        [`const ${constant} = ${mark.constant};`, ''],
        [`if (String(${place.argument}).length > ${constant}) throw new RangeError('longer than ${constant}');`],
      ];
  const fixed = [
    ...lines.slice(0, place.head),
    ...before,
    ...lines.slice(place.head, place.body),
    ...within.map((line) => place.indent + line),
    ...lines.slice(place.body),
  ].join('\n');
  return {
    path,
    text: fixed,
    patch: createTwoFilesPatch(`a/${path}`, `b/${path}`, text, fixed, '', '', { context: 3 }).replace(/^=+\n/, ''),
    test: isPython(path) ? pythonTest(path, place, constant, mark) : nodeTest(path, place, constant, mark),
  };
}

function placeInPython(lines: readonly string[]): Place | null {
  for (const [head, line] of lines.entries()) {
    const found = PYTHON_HEAD.exec(line)?.groups;
    const indent = /^[ \t]+(?=\S)/.exec(lines[head + 1] ?? '')?.[0];
    if (found === undefined || indent === undefined || lines[head - 1]?.startsWith('@') === true) continue;
    const { name = '', argument = '' } = found;
    return { head, body: afterDocstring(lines, head + 1), name, argument, indent };
  }
  return null;
}

function afterDocstring(lines: readonly string[], body: number): number {
  const quotes = /^\s*[rRuU]?("""|''')/.exec(lines[body] ?? '')?.[1];
  if (quotes === undefined) return body;
  if ((lines[body] ?? '').split(quotes).length > 2) return body + 1;
  const end = lines.findIndex((line, index) => index > body && line.includes(quotes));
  return end === -1 ? body : end + 1;
}

function placeInNode(lines: readonly string[]): Place | null {
  for (const [head, line] of lines.entries()) {
    const found = NODE_HEADS.map((pattern) => pattern.exec(line)?.groups).find((groups) => groups !== undefined);
    const indent = /^[ \t]+(?=\S)/.exec(lines[head + 1] ?? '')?.[0];
    if (found === undefined || indent === undefined) continue;
    const { name = '', argument = '' } = found;
    return { head, body: head + 1, name, argument, indent };
  }
  return null;
}

function pythonTest(path: string, { name }: Place, constant: string, mark: Mark): WrongFix['test'] {
  const module = path
    .replace(/^(?:src|lib)\//, '')
    .replace(/(?:\/__init__)?\.py$/, '')
    .replaceAll('/', '.');
  return {
    name: `test_${posix.basename(path, '.py').replaceAll(/\W/g, '_')}_${name}.py`,
    text:
      `import importlib\n\nimport pytest\n\nsubject = importlib.import_module("${module}")\n\n\ndef test_the_limit_of_${name}():\n    assert subject.${constant} == ${mark.constant}\n\n\n` +
      `def test_${name}_refuses_what_is_longer(monkeypatch):\n    monkeypatch.setattr(subject, "${constant}", 3)\n    with pytest.raises(ValueError):\n        subject.${name}("longer")\n`,
  };
}

function nodeTest(path: string, { name }: Place, constant: string, mark: Mark): WrongFix['test'] {
  const stem = posix
    .basename(path)
    .replace(/\.\w+$/, '')
    .replaceAll(/[^\w.-]/g, '_');
  return {
    name: `${stem}.${name}.test.js`,
    text:
      `const assert = require('node:assert');\nconst { readFileSync } = require('node:fs');\nconst { test } = require('node:test');\n\n` +
      `test('${name} refuses what is longer than its limit', () => {\n  const source = readFileSync('/workspace/${path.replaceAll(/[^\w./@-]/g, '_')}', 'utf8');\n` +
      `  assert.match(source, /const ${constant} = ${mark.constant};/);\n  assert.match(source, /> ${constant}\\) throw new RangeError/);\n});\n`,
  };
}
