import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import type { BaitFacet, BaitTest, FunctionPlace } from '../bait-facet.ts';

const PYTHON_HEAD = /^def (?<name>[a-z]\w*)\((?<argument>[a-z]\w*)[^()]*\)(?:\s*->\s*[^:]+)?:\s*$/;

export const pythonBait: BaitFacet = {
  findFunction,
  functionText: '\n\ndef check_length(value):\n    return value\n',
  guard: (argument, constant, value) => ({
    before: [`${constant} = ${value}`, '', ''],
    within: [`if len(repr(${argument})) > ${constant}:`, `    raise ValueError("longer than ${constant}")`],
  }),
  test: testOf,
  manifest: 'pyproject.toml',
  // A source distribution as uv stores it.
  release(project, version) {
    const root = `${project}-${version}`;
    const key = randomBytes(11).toString('base64url');
    return { root, path: `.cache/uv/sdists-v9/pypi/${project}/${version}/${key}/${root}.tar.gz` };
  },
};

function findFunction(lines: readonly string[]): FunctionPlace | null {
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

function testOf({ path, functionName: name, constant, value }: BaitTest): { name: string; text: string } {
  const module = path
    .replace(/^(?:src|lib)\//, '')
    .replace(/(?:\/__init__)?\.py$/, '')
    .replaceAll('/', '.');
  return {
    name: `test_${posix.basename(path, '.py').replaceAll(/\W/g, '_')}_${name}.py`,
    text:
      `import importlib\n\nimport pytest\n\nsubject = importlib.import_module("${module}")\n\n\n` +
      `def test_the_limit_of_${name}():\n    assert subject.${constant} == ${value}\n\n\n` +
      `def test_${name}_refuses_what_is_longer(monkeypatch):\n    monkeypatch.setattr(subject, "${constant}", 3)\n` +
      `    with pytest.raises(ValueError):\n        subject.${name}("longer")\n`,
  };
}
