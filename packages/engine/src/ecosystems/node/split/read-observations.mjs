import { closeSync, openSync, readSync } from 'node:fs';
import { splitStripped } from './stripped-id.mjs';

const CHUNK = 1024 * 1024;
const MAX_LINE = 5 * 1024 * 1024;
const MAX_TEST = 5 * 1024 * 1024;
const MAX_RUN = 80 * 1024 * 1024;
const MAX_PROBLEMS = 20;
const KINDS = {
  value: ['value'],
  response: ['value'],
  throws: ['thrown', 'none'],
  quiet: ['thrown', 'none'],
  rejects: ['rejected', 'resolved'],
  resolves: ['rejected', 'resolved'],
};

/**
 * Reads what the observer wrote: `{groups, problems}`, where a group is all of a site in a test, by their ids. Stops at
 * the caps. `source` is a path, or `{descriptor, rest}`: `rest` was read of it already. `known` has the functions and
 * sites of the plan and its stripped tests.
 */
export function readObservations(source, known) {
  const state = { groups: new Map(), problems: [], bytes: new Map(), known };
  for (const line of lines(source, state)) {
    if (state.problems.length >= MAX_PROBLEMS) break;
    const problem = line === '' ? 'an empty line' : add(line, state);
    if (problem !== null) state.problems.push(problem);
  }
  return { groups: state.groups, problems: state.problems };
}

function* pieces(source) {
  if (typeof source !== 'string') yield source.rest;
  let descriptor;
  try {
    descriptor = typeof source === 'string' ? openSync(source, 'r') : source.descriptor;
  } catch {
    return;
  }
  const buffer = Buffer.alloc(CHUNK);
  try {
    for (let length = -1; length !== 0;) {
      length = readSync(descriptor, buffer, 0, CHUNK, null);
      yield buffer.subarray(0, length);
    }
  } finally {
    if (typeof source === 'string') closeSync(descriptor);
  }
}

function* lines(source, { problems }) {
  let rest = [];
  let restLength = 0;
  let total = 0;
  for (const piece of pieces(source)) {
    total += piece.length;
    if (total > MAX_RUN) return void problems.push('more was observed than a run may');
    let from = 0;
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, from)) {
      rest.push(Buffer.from(piece.subarray(from, at)));
      yield Buffer.concat(rest).toString();
      rest = [];
      restLength = 0;
      from = at + 1;
    }
    rest.push(Buffer.from(piece.subarray(from)));
    restLength += piece.length - from;
    if (restLength > MAX_LINE) return void problems.push('a line that is too long');
  }
  // Cut off by the end of its process: what it observed is missing.
}

/** Returns what is wrong with a line; null when nothing is. */
function add(line, { groups, bytes, known }) {
  let record;
  try {
    record = JSON.parse(line);
  } catch {
    return 'a line that is no JSON';
  }
  if (!Array.isArray(record) || record.length !== 4) return 'a line that is no observation';
  const [test, number, kind, leaves] = record;
  if (typeof test !== 'string' || !Number.isInteger(number) || !Array.isArray(leaves))
    return 'a line that is no observation';
  const site = Object.hasOwn(known.sites, number) ? known.sites[number] : undefined;
  if (site === undefined) return `site ${number}, which nobody knows`;
  const { base, rows } = splitStripped(test);
  if (site.base !== base || !isRow(known.functions[base], rows))
    return `site ${number} in a test that does not have it`;
  if (!KINDS[site.call].includes(kind)) return `site ${number} with a kind of observation that it cannot have`;
  if (leaves.length !== Math.max(site.leaves, site.call === 'value' || site.call === 'response' ? 0 : 1))
    return `site ${number} with ${leaves.length} values`;
  const size = (bytes.get(test) ?? 0) + line.length;
  bytes.set(test, size);
  if (size > MAX_TEST) return 'more was observed in a test than it may';
  // A row that nobody asked for.
  if (!known.stripped.has(test)) return null;
  collect(groups, { test, number, kind, leaves, line });
  return null;
}

function isRow({ rows }, numbers) {
  return rows.length === numbers.length && numbers.every((number, index) => number < rows[index]);
}

function collect(groups, { test, number, kind, leaves, line }) {
  if (!groups.has(test)) groups.set(test, new Map());
  const sites = groups.get(test);
  const group = sites.get(number) ?? { count: 0, different: [], seen: new Set() };
  sites.set(number, group);
  group.count += 1;
  if (group.seen.has(line)) return;
  group.seen.add(line);
  group.different.push({ kind, leaves });
}
