import { Edits } from './edits.mjs';
import { asksSomething, isVariable, Renderer, UnreadableError } from './render-expression.mjs';
import { isTypeScript } from './parse-source.mjs';
import { readFile } from './rewrite.mjs';
import { setupOf } from './setup.mjs';
import { insertObserver } from './strip-file.mjs';
import { bare, isCall, isFunction, isMember, propertyOf } from './syntax.mjs';

const MAX_LENGTH = 140;
const MAX_LINE = 120;
const MAX_SETUP = 400;
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
  const assertions = new Set(read.sites.map(({ node }) => node));
  const renderer = new Renderer(
    read.source,
    { test, assertions },
    rows?.length === test.ids.length ? index : undefined,
  );
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

/** What a site asks, in one expression; else in one after statements that set it up. */
function render(site, renderer) {
  const parts = partsOf(site);
  if (parts === null) return null;
  for (const print of [printAlone, printAfterSetup])
    for (const swap of parts.swaps)
      try {
        const found = renderSwap(print, swap, { site, parts, renderer });
        if (found !== null) return found;
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
      }
  return null;
}

function renderSwap(print, [actual, wanted], { site, parts, renderer }) {
  const { kind, raises, says } = parts;
  const asks = asksSomething(actual) || (print === printAfterSetup && isVariable(actual));
  const asked = asks ? print(actual, { site, parts, renderer }) : null;
  if (asked === null) return null;
  renderer.at(site);
  const { text, roots } = typeof wanted === 'string' ? { text: wanted, roots: [] } : renderer.render(wanted);
  if (roots.length > 0 || !isLine(asked.expression, MAX_LENGTH) || text.length > MAX_EXPECTED) return null;
  return { kind, ...asked, expected: text, raises, says };
}

function printAlone(actual, { site, parts, renderer }) {
  renderer.at(site);
  const { text, roots } = renderer.render(actual);
  return roots.length === 0 ? null : { expression: awaited(text, parts), inputs: renderer.inputs() };
}

/** A test that asserts about nothing but its own values asks nothing, whatever it did before. */
function printAfterSetup(actual, { site, parts, renderer }) {
  const { kept, statements } = setupOf(actual, renderer.at(site));
  renderer.at(site, kept);
  const lines = statements.map((statement) => renderer.renderStatement(statement));
  const { text } = renderer.render(actual);
  const setup = lines.join('\n');
  if (lines.some((line) => !isLine(line, MAX_LINE)) || setup.length > MAX_SETUP) throw new UnreadableError();
  const inputs = renderer.inputs();
  return inputs.startsWith('(') ? null : { setup, expression: awaited(text, parts), inputs };
}

const awaited = (text, { awaits }) => (awaits ? `await ${text}` : text);

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
  // What begins and does not end says nothing of the probes that it does not come to.
  const mark = (number) => `$assay(${number}, ${JSON.stringify(NAME)}, 0, 0);`;
  const lines = [
    mark(probes.length),
    ...probes.map((probe, index) => probeOf(probe, index, isTypeScript(source.path) ? ': any' : '')),
    mark(probes.length + 1),
  ];
  return `${edits.toString()}\n;${register}(${JSON.stringify(NAME)}, async () => {\n${lines.join('\n')}\n});\n`;
}

/** Observes one probe. One that cannot be set up is not observed. */
function probeOf({ setup, expression, expected }, index, type) {
  const place = `${index}, ${JSON.stringify(NAME)}`;
  const before =
    setup === undefined
      ? ''
      : setup
          .split('\n')
          .map((line) => `${line};\n`)
          .join('');
  return (
    `{ let $w${type}; let $r = false; try { $w = (${expected}); } catch {} try {\n${before}$r = true; ` +
    `$assay(${place}, (${expression}), $w); } catch ($e) { if ($r) $assay.throws(${place}, () => { throw $e; }, $w); } }`
  );
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
