import { Edits } from './edits.mjs';
import { asksSomething, Renderer, UnreadableError } from './render-expression.mjs';
import { isTypeScript } from './parse-source.mjs';
import { readFile } from './rewrite.mjs';
import { insertObserver } from './strip-file.mjs';
import { bare, isCall, isFunction, isMember, propertyOf } from './syntax.mjs';

const MAX_LENGTH = 140;
const MAX_EXPECTED = 2000;
const MAX_OF_TEST = 6;
const MAX_TELLINGS = 120;
const NAME = 'assay probe';
const EQUAL = /^(toBe|toEqual|toStrictEqual|equal|equals|eq|eql|strictEqual|deepStrictEqual|deepEqual)$/;
const CONTAINS = /^(toContain|include|includes|contain|contains)$/;
const CONSTANTS = {
  toBeNull: 'null',
  toBeUndefined: 'undefined',
  toBeNaN: 'NaN',
  null: 'null',
  undefined: 'undefined',
  true: 'true',
  false: 'false',
};
const TRUTHS = { toBeTruthy: 'true', toBeFalsy: 'false', ok: 'true', 'not.ok': 'false' };

/** Answers a `TellRequest`. */
export function tell(request) {
  const answer = { tellings: [], files: [] };
  const wanted = new Set(request.wanted);
  let count = 0;
  for (const file of [...request.files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const read = readFile(file, request, { files: [], problems: [] });
    if (read === null) continue;
    for (const site of read.sites) site.id = count++;
    const probes = [];
    for (const test of read.tests)
      for (const [index, id] of (test.ids ?? []).entries())
        if (wanted.has(id)) tellTest({ read, test, id, index }, { probes, answer });
    const text = probes.length === 0 ? null : probeFile(read, probes);
    if (text !== null) answer.files.push({ path: file.path, text });
  }
  const paths = new Set(answer.files.map(({ path }) => path));
  return {
    ...answer,
    tellings: answer.tellings.filter(({ probe }) => paths.has(probe.slice(0, probe.lastIndexOf('#')))),
  };
}

function tellTest({ read, test, id, index }, { probes, answer }) {
  const rows = test.levels.find(({ table }) => table !== null)?.table.rows;
  const renderer = new Renderer(read.source, test, rows?.length === test.ids.length ? index : undefined);
  let left = MAX_OF_TEST;
  for (const site of read.sites.filter((each) => each.test === test)) {
    if (left === 0 || answer.tellings.length === MAX_TELLINGS) return;
    const probe = render(site, renderer);
    if (probe === null) continue;
    left -= 1;
    const key = JSON.stringify(probe);
    let at = probes.findIndex((each) => JSON.stringify(each) === key);
    if (at < 0) at = probes.push(probe) - 1;
    const { expected: _, ...told } = probe;
    answer.tellings.push({ probe: `${read.source.path}#${at}`, test: id, site: site.id, ...told });
  }
}

function render(site, renderer) {
  const parts = partsOf(site);
  if (parts === null) return null;
  try {
    for (const [actual, expected] of parts.swaps) {
      const asked = renderer.render(actual);
      if (asked.roots.length === 0 || !asksSomething(actual)) continue;
      const wants = typeof expected === 'string' ? { text: expected, roots: [] } : renderer.render(expected);
      if (wants.roots.length > 0) return null;
      const text = parts.awaits ? `await ${asked.text}` : asked.text;
      if (!isLine(text, MAX_LENGTH) || wants.text.length > MAX_EXPECTED) return null;
      const { kind, raises, says } = parts;
      return { kind, expression: text, expected: wants.text, inputs: asked.inputs, raises, says };
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
  }
  return null;
}

const isLine = (text, limit) => text.length <= limit && !/[\n`]/.test(text);

/** What a site asks and what it wants: `{kind, swaps, awaits, raises}`; null for what is not said in a line. */
function partsOf(site) {
  const { plan, actual, expected = [], isThrow } = site;
  if (plan === undefined || actual === undefined) return null;
  const name = nameOf(plan);
  if (name === null) return null;
  const awaits = plan.settle === 'resolves' || plan.settle === 'rejects';
  if (isThrow || plan.settle === 'rejects')
    return raised(site, name, plan.settle === 'rejects' || /^rejects$/.test(name));
  const [first] = expected;
  if (EQUAL.test(name) && first)
    return {
      kind: 'equals',
      awaits,
      swaps: site.isSymmetric
        ? [
            [actual, first],
            [first, actual],
          ]
        : [[actual, first]],
    };
  if (CONTAINS.test(name) && first) return { kind: 'contains', awaits, swaps: [[actual, first]] };
  if (Object.hasOwn(CONSTANTS, name)) return { kind: 'equals', awaits, swaps: [[actual, CONSTANTS[name]]] };
  if (Object.hasOwn(TRUTHS, name)) return { kind: 'truth', awaits, swaps: [[actual, TRUTHS[name]]] };
  return null;
}

/** The one word that says how a site compares; null for what takes more. */
function nameOf({ kind, matcher, isNot, method, links }) {
  if (kind === 'jest') return isNot ? null : matcher;
  if (kind === 'assert') return method;
  if (kind !== 'chai') return null;
  const names = links.map(([name]) => name);
  const told = names
    .flatMap((name) => name.split('.'))
    .filter((name) => !/^(to|be|is|deep|a|an)$/.test(name) || name === 'a');
  return told.join('.') === '' ? null : told.join('.');
}

function raised({ actual, expected = [] }, name, isRejection) {
  if (!/^(toThrow|throws|rejects|throw|Throw)$/.test(name)) return null;
  const subject = isRejection && !isFunction(bare(actual)) ? actual : bodyOf(bare(actual));
  if (subject === null) return null;
  const wanted = expected.map((each) => bare(each));
  const raises = wanted.find(({ type }) => type === 'Identifier')?.name ?? '';
  // Of node's `throws`, a text is what the assertion itself says.
  const words =
    name === 'throws' || name === 'rejects' ? undefined : wanted.find(({ type }) => type === 'StringLiteral');
  return { kind: 'raises', awaits: isRejection, swaps: [[subject, 'undefined']], raises, says: words?.value };
}

/** The one expression of a function without parameters. */
function bodyOf(node) {
  if (!isFunction(node) || node.params.length > 0) return null;
  const { body } = node;
  if (body.type !== 'BlockStatement') return unawaited(body);
  const [only] = body.body;
  if (body.body.length !== 1) return null;
  const inner =
    only.type === 'ExpressionStatement' ? only.expression : only.type === 'ReturnStatement' ? only.argument : null;
  return inner && unawaited(inner);
}

const unawaited = (node) => (node.type === 'AwaitExpression' ? node.argument : node);

/** The file with one test in the place of all, which observes the probes. */
function probeFile({ source, tests, registrations }, probes) {
  const register = registrarOf(tests);
  if (register === null) return null;
  const edits = new Edits(source.text);
  for (const { call, statement } of registrations) {
    if (statement) edits.replace(statement.start, statement.end, ';');
    else edits.replace(call.start, call.end, 'void 0');
  }
  insertObserver(source, edits);
  const type = isTypeScript(source.path) ? ': any' : '';
  const lines = probes.map(
    ({ expression, expected }, index) =>
      `{ let $w${type}; try { $w = (${expected}); } catch {} try { $assay(${index}, ${JSON.stringify(NAME)}, (${expression}), $w); } ` +
      `catch ($e) { $assay.throws(${index}, ${JSON.stringify(NAME)}, () => { throw $e; }, $w); } }`,
  );
  return `${edits.toString()}\n;${register}(${JSON.stringify(NAME)}, async () => {\n${lines.join('\n')}\n});\n`;
}

/** The name by which the file registers tests at its top. */
function registrarOf(tests) {
  for (const { call } of tests) {
    let { callee } = call;
    while (!callee.name && (isCall(callee) || isMember(callee) || callee.tag))
      callee = callee.tag ?? callee.callee ?? (propertyOf(callee) === 'test' ? callee : callee.object);
    if (callee.type === 'Identifier' && callee.binding?.kind !== 'param') return callee.name;
  }
  return null;
}
