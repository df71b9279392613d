import { blankUnread } from './blank-unread.mjs';
import { decomposeSite } from './decompose-site.mjs';
import { Edits } from './edits.mjs';
import { expectKind } from './forms/expect.mjs';
import { isTypeScript } from './parse-source.mjs';
import { quote } from './print-pure.mjs';
import { relaxSite } from './relax-site.mjs';
import { Rows } from './rows.mjs';
import { isCall, isMember, propertyOf, walk } from './syntax.mjs';

const PRAGMA = /@(?:vitest-environment|jest-environment|jest-config|jsx\w*|flow)\b[^\n*]*/;
/** They count assertions, of which the stripped test has none. */
const COUNTERS = /^(assertions|hasAssertions)$/;

/**
 * Strips a file: `{text, functions}`, with `expectations` of each function that is wanted. Sites get `native` or
 * `code`.
 */
export function stripFile({ source, tests, registrations, sites }, { runner, native, relaxed, isWanted }) {
  const edits = new Edits(source.text);
  const kept = new Set(tests.filter((test) => !test.blocked && isWanted(test)));
  for (const test of kept) for (let at = test.parent; at; at = at.parent) kept.add(at);
  blankOthers({ tests, registrations, kept, edits });
  const rowsOf = new Map(tests.map((test) => [test, new Rows(test)]));
  const expected = expectedNodes(sites);
  for (const site of sites) {
    const scope = {
      column: (node) => rowsOf.get(site.test).column(node, scope),
      matching: (node) => expectKind(node, runner) !== null,
      isExpected: (node) => expected.has(node),
    };
    const compared = relaxed.includes(site.id) ? relaxSite(site) : site;
    Object.assign(site, native[site.id] === undefined ? decomposeSite(compared, scope) : { native: native[site.id] });
    if (site.native === undefined && kept.has(site.test)) editSite(site, edits);
  }
  blankCounters(source.program, edits, runner);
  for (const registration of keptRegistrations(kept)) editRegistration(registration, { edits, runner, source });
  const levels = shareColumns(keptRegistrations(kept));
  blankUnread({ source, edits, levels, scope: { isExpected: (node) => expected.has(node), matching: () => false } });
  blankComments(source, edits);
  insertObserver(source, edits);
  return { text: edits.toString(), rowsOf };
}

/** What assertions take as their expectation, which nothing changes there. */
function expectedNodes(sites) {
  return new Set(
    sites
      .filter((site) => !site.native)
      .flatMap((site) => (site.isSymmetric ? [site.actual, ...site.expected] : site.expected)),
  );
}

function keptRegistrations(kept) {
  const found = new Map();
  for (const { levels } of kept)
    for (const [index, level] of levels.entries()) found.set(level.call, { ...level, outer: levels.slice(0, index) });
  return [...found.values()];
}

function blankOthers({ registrations, kept, edits }) {
  const needed = new Set(keptRegistrations(kept).map(({ call }) => call));
  for (const { call, statement, role, table, title, body, number } of registrations) {
    if (needed.has(call)) continue;
    // What a suite does when it is loaded may fail, and its file with it.
    if (role === 'suite' && table === null && body) {
      edits.replace(title.start, title.end, quote(String(number)));
      continue;
    }
    if (statement) edits.replace(statement.start, statement.end, ';');
    else edits.replace(call.start, call.end, 'void 0');
  }
}

function editSite(site, edits) {
  const { id, node, leaves, call, test } = site;
  if (call === 'response') return editResponse(site, edits);
  const name = call === 'value' ? '$assay' : `$assay.${call}`;
  const ordered = leaves.map((leaf) => (leaf.type === 'SequenceExpression' ? { ...leaf, wrap: true } : leaf));
  let at = node.start;
  let text = `${name}(${id},${testName(test)}`;
  let close = '';
  for (const leaf of ordered) {
    edits.replace(at, leaf.start, `${close}${at === node.start ? text : ''},${leaf.wrap ? '(' : ''}`);
    close = leaf.wrap ? ')' : '';
    at = leaf.end;
    text = '';
  }
  if (ordered.length === 0) edits.replace(node.start, node.end, `${text})`);
  else edits.replace(at, node.end, `${close})`, { late: true });
}

function editResponse({ id, node, leaves: [done], test }, edits) {
  const { start } = node.callee.property;
  const text = `expect($assay.response(${id},${testName(test)}))`;
  if (done === undefined) return edits.replace(start, node.end, text);
  edits.replace(start, done.start, `${text}.end(`);
  edits.replace(done.end, node.end, ')', { late: true });
}

/** The name of a stripped test below its file, as an expression where it stands. */
function testName({ levels }) {
  const { number, table } = levels.at(-1);
  return nameOf(levels.slice(0, -1), table === null ? number : `${number} [\${$r${number}}]`);
}

function nameOf(outer, last) {
  const parts = outer.map(({ number, table }) => (table === null ? number : `${number} [\${$r${number}}]`));
  const name = [...parts, last].join(' > ');
  return name.includes('$') ? `\`${name}\`` : quote(name);
}

function editRegistration(level, { edits, runner, source }) {
  const { number, title, table, modifiers, body } = level;
  if (table?.style === 'loop') return editInLoop(level, edits);
  edits.replace(title.start, title.end, quote(String(number)));
  if (table === null) return;
  const { call, owner } = modifiers.find(({ name }) => name === 'each' || name === 'for');
  const isTemplate = call.type === 'TaggedTemplateExpression';
  const callee = isTemplate ? call.tag : call.callee;
  const types = call.typeParameters ?? call.typeArguments;
  const open = isTemplate ? call.quasi.start : source.text.indexOf('(', types?.end ?? callee.end);
  const style = table.style === 'spread' && runner === 'jest' ? 'done' : table.style;
  edits.insert(owner.start, '$assay.each(');
  edits.replace(owner.end, open, `,${quote(style)})`);
  if (body) edits.insert(body.start, `$r${number}=>`);
}

/** What a loop registers gets its number when it runs. */
function editInLoop({ number, title, body, outer }, edits) {
  const key = nameOf(outer, number);
  edits.replace(title.start, title.end, `$assay.next(${key})`);
  edits.insert(body.start, `$assay.at(${key},$r${number}=>`);
  edits.insert(body.end, ')');
}

/** Marks tables that stand in more than one place: their cells may be read there. */
function shareColumns(levels) {
  return levels.map((level) => {
    if (level.table?.style === 'loop') return level;
    const name = level.modifiers.find(({ call }) => call)?.call.arguments?.[0];
    const isShared = name?.type === 'Identifier' && (name.binding?.references.length ?? 2) > 1;
    return { ...level, columnsAreShared: isShared };
  });
}

function blankCounters(program, edits, runner) {
  walk(program, (node) => {
    if (!isCall(node) || !isMember(node.callee)) return true;
    const { object } = node.callee;
    const name = propertyOf(node.callee) ?? '';
    const isCounter = COUNTERS.test(name) && expectKind(object, runner) !== null;
    const isPlan = name === 'plan' && runner === 'node:test' && object.binding?.kind === 'param';
    if (isCounter || isPlan) edits.replace(node.start, node.end, 'void 0');
    return true;
  });
}

function blankComments({ comments }, edits) {
  for (const comment of comments) {
    if (edits.isGone(comment)) continue;
    const pragma = PRAGMA.exec(comment.value)?.[0].trim();
    edits.replace(comment.start, comment.end, pragma === undefined ? ' ' : `/* ${pragma} */`);
  }
}

export function insertObserver({ path, program }, edits) {
  const [first] = program.body;
  if (!first) return;
  const object = isTypeScript(path) ? '(process as any)' : 'process';
  edits.insert(first.start, `const $assay=${object}.assayObserve?.(${quote(path)});`);
}
