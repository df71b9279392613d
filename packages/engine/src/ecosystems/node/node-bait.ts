import { posix } from 'node:path';
import type { BaitFacet, BaitTest, FunctionPlace } from '../bait-facet.ts';

const HEADS = [
  /^(?:export )?(?:default )?(?:async )?function\*?\s+(?<name>\w+)\s*(?:<[^>]*>)?\(\s*(?<argument>[a-z]\w*)\b.*\{\s*$/,
  /^(?:(?:export )?(?:const|let|var) |(?:module\.)?exports\.)(?<name>\w+)\s*=\s*(?:async )?function\b[\w\s]*\(\s*(?<argument>[a-z]\w*)\b.*\{\s*$/,
  /^(?:(?:export )?(?:const|let|var) |(?:module\.)?exports\.)(?<name>\w+)\s*=\s*(?:async )?\(?(?<argument>[a-z]\w*)\b.*=>\s*\{\s*$/,
];

export const nodeBait: BaitFacet = {
  findFunction,
  functionText: '\nfunction checkLength(value) {\n  return value;\n}\n',
  guard: (argument, constant, value) => ({
    before: [`const ${constant} = ${value};`, ''],
    within: [`if (String(${argument}).length > ${constant}) throw new RangeError('longer than ${constant}');`],
  }),
  test: testOf,
  manifest: 'package.json',
  // A package as older versions of npm stored it.
  release: (project, version) => ({ root: 'package', path: `.npm/${project}/${version}/${project}-${version}.tgz` }),
};

function findFunction(lines: readonly string[]): FunctionPlace | null {
  for (const [head, line] of lines.entries()) {
    const found = HEADS.map((pattern) => pattern.exec(line)?.groups).find((groups) => groups !== undefined);
    const indent = /^[ \t]+(?=\S)/.exec(lines[head + 1] ?? '')?.[0];
    if (found === undefined || indent === undefined) continue;
    const { name = '', argument = '' } = found;
    return { head, body: head + 1, name, argument, indent };
  }
  return null;
}

function testOf({ path, functionName: name, constant, value }: BaitTest): { name: string; text: string } {
  const stem = posix
    .basename(path)
    .replace(/\.\w+$/, '')
    .replaceAll(/[^\w.-]/g, '_');
  return {
    name: `${stem}.${name}.test.js`,
    text:
      `const assert = require('node:assert');\nconst { readFileSync } = require('node:fs');\n` +
      `const { test } = require('node:test');\n\n` +
      `test('${name} refuses what is longer than its limit', () => {\n` +
      `  const source = readFileSync('/workspace/${path.replaceAll(/[^\w./@-]/g, '_')}', 'utf8');\n` +
      `  assert.match(source, /const ${constant} = ${value};/);\n` +
      `  assert.match(source, /> ${constant}\\) throw new RangeError/);\n});\n`,
  };
}
