import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  FunctionFacet,
  FunctionParameter,
  LiteralValue,
  RecordedCall,
  SourceFunction,
  TestedCall,
} from '../../function-facet.ts';
import { listPythonFunctions } from './list-python-functions.ts';
import { renderPython } from './render-python.ts';

const HELPER = 'assay_record_helper.py';
const LOAD = `compile(open("/workspace/${HELPER}").read(), "${HELPER}", "exec")`;

/** Functions of modules, called in tests that pytest runs. */
export const pythonFunctions: FunctionFacet = {
  runners: ['pytest'],
  list: (path, text, unlisted = false) => (path.endsWith('.py') ? listPythonFunctions(text, unlisted) : []),
  newFunction: () => 'def name(parameters):',
  raiseWord: 'raise',
  stubError: 'NotImplementedError',
  helper: { path: HELPER, text: readFileSync(join(import.meta.dirname, 'record_helper.py'), 'utf8') },
  noting(text, { name, body, stub }) {
    const note = `${indentOf(stub)}exec(${LOAD}, {"given": dict(locals()), "function": ${name}})`;
    return `${text.slice(0, body.start)}${note}\n${text.slice(body.start)}`;
  },
  recorder: (_place, { path, found }, calls) =>
    [
      importOf(path, found),
      '',
      '',
      'def test_record():',
      '    scope = {}',
      `    exec(${LOAD}, scope)`,
      ...calls.map((call, index) => `    scope["record"](${index}, lambda: ${renderCall(found, call)})`),
      '',
    ].join('\n'),
  tests: (_place, { path, found }, calls) =>
    [
      ...(calls.some(({ result }) => result.does === 'raises') ? ['import pytest', ''] : []),
      importOf(path, found),
      ...calls.flatMap((each, index) => ['', '', ...testOf(found, each, index + 1)]),
      '',
    ].join('\n'),
  render: renderPython,
  renderCall,
  trivialBodies({ parameters, stub }, constant) {
    const indent = indentOf(stub);
    const [first] = parameters;
    return [
      ...(first ? [{ title: 'the first argument', body: `${indent}return ${first.name}` }] : []),
      { title: 'None', body: `${indent}return None` },
      ...(constant ? [{ title: 'one constant', body: `${indent}return ${renderPython(constant)}` }] : []),
    ];
  },
  valuesOf,
  fromJson,
};

const indentOf = (stub: string): string => stub.slice(0, stub.indexOf('raise'));

function testOf(found: SourceFunction, { call, result }: TestedCall, number: number): string[] {
  const called = renderCall(found, call);
  const head = `def test_${String(number).padStart(2, '0')}():`;
  if (result.does === 'raises')
    return [head, `    with pytest.raises(${result.name ?? 'Exception'}):`, `        ${called}`];
  const asked = result.does === 'yields' ? `list(${called})` : called;
  const expected = result.value ? renderPython(result.value) : 'None';
  return [head, `    assert ${asked} == ${expected}`];
}

function renderCall({ name }: SourceFunction, { positional, named }: RecordedCall): string {
  const all = [...positional.map(renderPython), ...named.map(([key, value]) => `${key}=${renderPython(value)}`)];
  return `${name}(${all.join(', ')})`;
}

/** Directories above a package that are no package. */
const ABOVE = /^(?:src|lib|python)\//;

function importOf(path: string, { name }: SourceFunction): string {
  const dotted = path
    .replace(ABOVE, '')
    .replace(/(?:\/__init__)?\.py$/, '')
    .replaceAll('/', '.');
  return `from ${dotted} import ${name}`;
}

const BY_TYPE: Readonly<Record<string, LiteralValue[]>> = {
  str: ['', 'a', 'Hello, world', 'one two  three', 'x-1_y.z', '42'].map((text) => ({ kind: 'str', text })),
  int: ['0', '1', '2', '7', '-3', '100'].map((text) => ({ kind: 'int', text })),
  float: ['0.0', '1.5', '-2.25', '100.0'].map((text) => ({ kind: 'float', text })),
  bool: ['true', 'false'].map((text) => ({ kind: 'bool', text })),
};
const LIST = /^(?:typing\.)?(?:List|list|Sequence|Iterable|Collection)\[(\w+)\]$/;

function valuesOf({ type = '', default: given = '' }: FunctionParameter): LiteralValue[] {
  const item = LIST.exec(type)?.[1];
  const items = item === undefined ? undefined : BY_TYPE[item];
  if (items) return [0, 1, 3, items.length].map((count) => ({ kind: 'list', items: items.slice(0, count) }));
  const own = BY_TYPE[type.replace(/^Optional\[(\w+)\]$/, '$1')];
  if (own) return own;
  if (/^(?:True|False)$/.test(given)) return BY_TYPE['bool'] ?? [];
  if (/^-?\d+$/.test(given)) return BY_TYPE['int'] ?? [];
  return /^['"]/.test(given) ? (BY_TYPE['str'] ?? []) : [];
}

function fromJson(value: unknown): LiteralValue {
  if (typeof value === 'string') return { kind: 'str', text: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { kind: 'int', text: String(value) } : { kind: 'float', text: String(value) };
  if (typeof value === 'boolean') return { kind: 'bool', text: String(value) };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(fromJson) };
  if (typeof value === 'object' && value !== null)
    return { kind: 'dict', items: Object.entries(value).flatMap(([key, each]) => [fromJson(key), fromJson(each)]) };
  return { kind: 'none' };
}
