import { findSites } from './find-sites.mjs';
import { findTests, LOOPS } from './find-tests.mjs';
import { baseOfTest, matchIds } from './match-ids.mjs';
import { CODE, parseSource } from './parse-source.mjs';
import { messageLineOf } from './relax-site.mjs';
import { stripFile } from './strip-file.mjs';
import { isFunction } from './syntax.mjs';

/** Answers a `RewriteRequest`. */
export function rewrite(request) {
  const answer = { files: [], functions: [], sites: [], problems: [], expectations: { functions: {}, sites: {} } };
  const before = new Map(request.before.map(({ path, text }) => [path, text]));
  const wanted = new Set(request.wanted);
  let count = 0;
  for (const file of [...request.files].sort((one, other) => (one.path < other.path ? -1 : 1))) {
    const read = readFile(file, request, answer);
    if (read === null) continue;
    for (const site of read.sites) site.id = count++;
    const isWanted = (test) => test.ids.some((id) => wanted.has(id));
    const { text, rowsOf } = stripFile(read, {
      runner: request.runner,
      native: request.native,
      relaxed: request.relaxed ?? [],
      isWanted,
    });
    answer.files.push({ path: file.path, text });
    for (const site of read.sites) answer.sites.push(describeSite(site, file));
    for (const test of read.tests) {
      if (test.ids.length === 0) continue;
      const sites = read.sites.filter((site) => site.test === test);
      const own = file.text.slice(test.call.start, test.call.end);
      answer.functions.push({
        ids: test.ids,
        base: baseOfTest(test),
        sites: sites.map(({ id }) => id),
        visible: before.get(file.path)?.includes(own) ?? false,
        ...(test.blocked ? { blocked: test.blocked } : {}),
      });
      if (!test.blocked) expect(test, sites, { answer, columns: rowsOf.get(test).columns });
    }
  }
  return answer;
}

/** Parses a file and finds what it has; null when it is no source, which goes into the answer as it is. */
export function readFile(file, { runner, ids }, answer) {
  if (!CODE.test(file.path)) {
    if (!file.path.endsWith('.snap')) answer.files.push(file);
    return null;
  }
  let source;
  try {
    source = parseSource(file);
  } catch (error) {
    answer.problems.push({ file: file.path, detail: String(error?.message ?? error).slice(0, 500) });
    return null;
  }
  const { tests, registrations } = findTests(source, runner);
  matchIds(file.path, tests, ids);
  return { source, tests, registrations, sites: findSites(source, tests, runner) };
}

function describeSite(site, { path }) {
  const { id, node, form, native, test } = site;
  const repeats = mayRepeat(node, test.body) ? true : undefined;
  return { id, file: path, line: node.loc.start.line, form, repeats, messageLine: messageLineOf(site), native };
}

/** It stands in a loop, or in a function within the test. */
function mayRepeat(node, body) {
  for (let at = node.parent; at && at !== body; at = at.parent) if (isFunction(at) || LOOPS.test(at.type)) return true;
  return false;
}

function expect(test, sites, { answer, columns }) {
  const base = baseOfTest(test);
  const rows = test.levels.filter(({ table }) => table !== null).map(({ table }) => table.rows.length);
  answer.expectations.functions[base] = { rows, columns };
  for (const { id, code, call, leaves, observed, form } of sites)
    if (code !== undefined)
      answer.expectations.sites[id] = { base, call, code, leaves: observed ?? leaves.length, form };
}
