import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  FunctionFacet,
  FunctionParameter,
  LiteralValue,
  RecordedCall,
  SourceFunction,
} from '../../function-facet.ts';
import { listNodeFunctions } from './list-node-functions.ts';
import { renderNode } from './render-node.ts';
import { headOf, isModuleAt, NODE_DIALECTS, testBlock, testOf } from './write-node-tests.ts';

const HELPER = 'assay-record-helper.cjs';
/** Prefix and expression by which a file loads the helper. The prefix stands on the first line, where it moves no other. */
const loading = (isModule: boolean): { prefix: string; load: string } =>
  isModule
    ? {
        prefix: "import { createRequire as assayRequire } from 'module'; ",
        load: `assayRequire('/workspace/x')('/workspace/${HELPER}')`,
      }
    : { prefix: '', load: `require('/workspace/${HELPER}')` };

/** Functions that modules export, JavaScript and TypeScript, called in the tests of the repository's runner. */
export const nodeFunctions: FunctionFacet = {
  runners: NODE_DIALECTS,
  list: listNodeFunctions,
  newFunction: (isModule) =>
    isModule ? 'export function name(parameters) {' : 'module.exports.name = function name(parameters) {',
  raiseWord: 'throw',
  stubError: 'Error: not implemented',
  helper: { path: HELPER, text: readFileSync(join(import.meta.dirname, 'record-helper.cjs'), 'utf8') },
  noting(text, { body, parameters, binding }) {
    const { prefix, load } = loading(binding.isModule);
    const head = text.slice(0, body.start);
    const names = parameters.map(({ name }) => name);
    const isArrow = /=>\s*\{$/.test(head);
    if (isArrow && names.includes('')) return text;
    // An arrow function knows its arguments by their names alone.
    const given = isArrow ? `[${names.join(', ')}]` : 'arguments';
    return `${prefix}${head};${load}.note(${given});${text.slice(body.start)}`;
  },
  recorder(place, target, calls) {
    const { prefix, load } = loading(isModuleAt(place));
    const lines = [
      `const { record } = ${load};`,
      ...calls.map((call, index) => `record(${index}, () => ${renderCall(target.found, call)});`),
      ...(place.runner === 'ava' ? ['t.pass();'] : []),
    ];
    return `${prefix}${headOf(place, target).join('\n')}\n\n${testBlock(place.runner, 'record', lines)}\n`;
  },
  tests: (place, target, calls) =>
    [
      ...headOf(place, target),
      ...calls.flatMap(({ call, result }, index) => [
        '',
        testOf(place.runner, String(index + 1).padStart(2, '0'), renderCall(target.found, call), {
          result,
          expected: result.value ? renderNode(result.value) : 'undefined',
        }),
      ]),
      '',
    ].join('\n'),
  render: renderNode,
  renderCall,
  trivialBodies({ parameters }, constant) {
    const [first] = parameters;
    return [
      ...(first && first.name !== '' ? [{ title: 'the first argument', body: ` return ${first.name}; ` }] : []),
      { title: 'undefined', body: ' return undefined; ' },
      ...(constant ? [{ title: 'one constant', body: ` return ${renderNode(constant)}; ` }] : []),
    ];
  },
  valuesOf,
  fromJson,
};

/** Without arguments at the end that say what is so anyway. */
function renderCall({ name, parameters }: SourceFunction, { positional, named }: RecordedCall): string {
  const all = [...positional, ...named.map(([, value]) => value)].map(renderNode);
  const says = (text: string, index: number): boolean =>
    text !== 'undefined' && text !== parameters[index]?.default?.replaceAll('"', "'");
  return `${name}(${all.slice(0, all.findLastIndex(says) + 1).join(', ')})`;
}

const BY_TYPE: Readonly<Record<string, LiteralValue[]>> = {
  string: ['', 'a', 'Hello, world', 'one two  three', 'x-1_y.z', '42', 'a/b/c'].map((text) => ({ kind: 'str', text })),
  number: ['0', '1', '2', '7', '-3', '100'].map((text) => ({ kind: 'int', text })),
  boolean: ['true', 'false'].map((text) => ({ kind: 'bool', text })),
};

function valuesOf({ type = '', default: given = '' }: FunctionParameter): LiteralValue[] {
  const item = /^(?:readonly )?(\w+)\[\]$/.exec(type)?.[1];
  const items = item === undefined ? undefined : BY_TYPE[item];
  if (items) return [0, 1, 3, items.length].map((count) => ({ kind: 'list', items: items.slice(0, count) }));
  const own = type.split('|').flatMap((each) => BY_TYPE[each.trim()] ?? []);
  if (own.length > 0) return own;
  if (/^(?:true|false)$/.test(given)) return BY_TYPE['boolean'] ?? [];
  if (/^-?\d+$/.test(given)) return BY_TYPE['number'] ?? [];
  return /^['"]/.test(given) ? (BY_TYPE['string'] ?? []) : [];
}

function fromJson(value: unknown): LiteralValue {
  if (typeof value === 'string') return { kind: 'str', text: value };
  if (typeof value === 'number') return { kind: Number.isSafeInteger(value) ? 'int' : 'float', text: String(value) };
  if (typeof value === 'boolean') return { kind: 'bool', text: String(value) };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(fromJson) };
  if (typeof value === 'object' && value !== null)
    return { kind: 'dict', items: Object.entries(value).flatMap(([key, each]) => [fromJson(key), fromJson(each)]) };
  return { kind: 'none' };
}
