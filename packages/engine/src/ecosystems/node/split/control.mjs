import { Edits } from './edits.mjs';
import { findSites } from './find-sites.mjs';
import { findTests } from './find-tests.mjs';
import { matchIds } from './match-ids.mjs';
import { CODE, parseSource } from './parse-source.mjs';
import { childrenOf, isFunction } from './syntax.mjs';

/** Answers a `ControlRequest`. */
export function makeControl({ runner, files, ids }) {
  const answer = { files: [], failing: [], problems: [] };
  for (const file of files) {
    let text = file.text;
    try {
      if (CODE.test(file.path)) text = controlFile(file, { runner, ids, answer });
    } catch (error) {
      answer.problems.push({ file: file.path, detail: String(error?.message ?? error).slice(0, 500) });
    }
    answer.files.push({ path: file.path, text });
  }
  return answer;
}

function controlFile(file, { runner, ids, answer }) {
  const source = parseSource(file);
  const { tests } = findTests(source, runner);
  matchIds(file.path, tests, ids);
  const sites = findSites(source, tests, runner);
  const edits = new Edits(file.text);
  for (const test of tests) {
    if (test.body === null || test.body.generator) continue;
    const failure = failureOf(sites, test, { source, runner });
    if (failure === null) continue;
    const done = callbackOf(test.body, runner);
    if (done === null) fail(test.body, failure, edits);
    else edits.insert(test.body.body.start + 1, failAtCall(done, failure));
    if (!test.blocked || test.ids.length > 0) answer.failing.push(...test.ids);
  }
  return edits.toString();
}

/** A failure through the interface that the test uses, else one that its file uses, else an error. */
function failureOf(sites, test, { source, runner }) {
  const own = sites.filter((site) => site.test === test);
  for (const { node, form } of [...own, ...sites]) {
    const start = /^[A-Za-z_$][\w$.]*/.exec(source.text.slice(node.start, node.end))?.[0] ?? '';
    if (form.startsWith('assert.')) return `${assertOf(start)}`;
    const [name] = start.split('.');
    if (/^(helper|supertest expect|expectTypeOf)$/.test(form) || name === '') continue;
    return runner === 'mocha' && !/(^|\.)to[A-Z]/.test(form) ? `${name}(1).to.equal(2)` : `${name}(1).toBe(2)`;
  }
  return 'throw new Error("control")';
}

function assertOf(start) {
  const parts = start.split('.');
  // An imported method by itself compares its two operands, or fails on a value that is none.
  if (parts.length === 1)
    return /throws|rejects/i.test(start)
      ? `${start}(()=>{throw new Error("control")},/^$/)`
      : `${start}(${ODD[start] ?? '1,2'})`;
  return `${parts.slice(0, -1).join('.')}.strictEqual(1,2)`;
}

const ODD = {
  ok: '0',
  assert: '0',
  notEqual: '1,1',
  notStrictEqual: '1,1',
  notDeepEqual: '1,1',
  notDeepStrictEqual: '1,1',
  match: '"1",/2/',
  doesNotMatch: '"1",/1/',
  ifError: '1',
  doesNotThrow: '()=>{throw new Error("control")}',
};

/** Name of the function that a body calls when it is done. */
function callbackOf({ params, body, async }, runner) {
  const param = runner === 'vitest' || async ? undefined : params[runner === 'node:test' ? 1 : 0];
  return param?.type === 'Identifier' && body.type === 'BlockStatement' ? param.name : null;
}

const failAtCall = (done, failure) =>
  `const $done=${done};${done}=()=>{try{${failure}}catch(error){return $done(error)}return $done()};`;

/** Makes a body end in a failure, however it ends. */
function fail(body, failure, edits) {
  if (body.body.type !== 'BlockStatement') {
    const { start, end } = body.body;
    edits.insert(start, 'Promise.resolve(');
    edits.insert(end, `).then(()=>{${failure}})`);
    return;
  }
  for (const statement of returnsOf(body.body)) {
    if (statement.argument === null) {
      edits.replace(statement.start, statement.end, `{${failure};return;}`);
      continue;
    }
    const { start, end } = statement.argument;
    edits.insert(start, 'Promise.resolve(');
    edits.insert(end, `).then(()=>{${failure}})`);
  }
  edits.insert(body.body.end - 1, `;${failure};`);
}

/** Return statements of a function itself. */
function* returnsOf(node) {
  for (const child of childrenOf(node)) {
    if (isFunction(child) || /Method$|^Class/.test(child.type)) continue;
    if (child.type === 'ReturnStatement') yield child;
    else yield* returnsOf(child);
  }
}
