'use strict';
/*
 * Loaded before anything else in each process that runs stripped tests. What a test observes goes to a file, a JSON
 * line `[test, site, kind, leaves]` each. A stripped file asks for its observer by `process.assayObserve(path)`; jest
 * gives its tests a copy of `process`, with the same function on it.
 */
const { openSync, writeSync, constants } = require('node:fs');
const { encodeValue } = require('./encode-value.cjs');
const { stringify } = JSON;
const { from } = Buffer;
const { apply } = Reflect;
const { isArray } = Array;
const MissingError = Error;
const MAX_OF_TEST = 4 * 1024 * 1024;
const MAX_OF_RUN = 64 * 1024 * 1024;

const path = process.env['ASSAY_OBSERVATIONS'];
if (path !== undefined && process.assayObserve === undefined) {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o644);
  Object.defineProperty(process, 'assayObserve', { value: (file) => observerOf(file, descriptor) });
}

const written = new Map();
let total = 0;

function record(descriptor, test, [site, kind, leaves]) {
  let values = leaves.map(encodeValue).join(',');
  const before = written.get(test) ?? 0;
  if (before + values.length > MAX_OF_TEST || total + values.length > MAX_OF_RUN)
    values = leaves.map(() => '["x","size"]').join(',');
  written.set(test, before + values.length);
  total += values.length;
  const bytes = from(`[${stringify(test)},${site},"${kind}",[${values}]]\n`);
  try {
    writeSync(descriptor, bytes);
  } catch {
    // The line is missing then, and the test fails by that.
  }
}

/** The functions that stripped tests of a file call. A test is told by its titles below the file, sites by number. */
function observerOf(file, descriptor) {
  const note = (test, site, kind, leaves) => record(descriptor, `${file} > ${test}`, [site, kind, leaves]);
  const missing = (what) => {
    throw new MissingError(what);
  };
  const observe = (site, test, ...leaves) => note(test, site, 'value', leaves);
  observe.throws = (site, test, run, ...leaves) => {
    if (typeof run !== 'function') {
      note(test, site, 'none', [run, ...leaves]);
      return missing('the value is no function');
    }
    let thrown;
    try {
      run();
    } catch (error) {
      thrown = { error };
    }
    note(test, site, thrown ? 'thrown' : 'none', [thrown?.error, ...leaves]);
    return thrown ? thrown.error : missing('nothing was thrown');
  };
  observe.quiet = (site, test, run, ...leaves) => {
    try {
      run();
    } catch (error) {
      note(test, site, 'thrown', [error, ...leaves]);
      throw error;
    }
    note(test, site, 'none', [undefined, ...leaves]);
  };
  observe.rejects = async (site, test, promise, ...leaves) => {
    let value;
    try {
      value = await (typeof promise === 'function' ? promise() : promise);
    } catch (error) {
      note(test, site, 'rejected', [error, ...leaves]);
      return error;
    }
    note(test, site, 'resolved', [value, ...leaves]);
    return missing('the promise was not rejected');
  };
  observe.resolves = async (site, test, promise, ...leaves) => {
    let value;
    try {
      value = await (typeof promise === 'function' ? promise() : promise);
    } catch (error) {
      note(test, site, 'rejected', [error, ...leaves]);
      throw error;
    }
    note(test, site, 'resolved', [value, ...leaves]);
    return value;
  };
  /** What supertest calls with the response. */
  observe.response = (site, test) => (response) => {
    note(test, site, 'value', [response.status, { ...response.headers }, response.text, response.body]);
  };
  observe.each = (register, style) => eachOf(register, style);
  return Object.assign(observe, loopsOf());
}

/** Numbers what a loop registers: `next` is its title, `at` gives its body the number. */
function loopsOf() {
  const counts = new Map();
  const next = (key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return `${key.slice(key.lastIndexOf('>') + 1).trim()} [${count}]`;
  };
  const at = (key, body) => body((counts.get(key) ?? 1) - 1);
  return { next, at };
}

/**
 * Stands for `test.each`: the rows of the table, an array or a template, one test each with its number after the title.
 * The body comes as a function from the number of the row. `done`: jest's, which gives a callback to a body that takes
 * more than the row has. `row`: vitest's `for`, which does not spread it.
 */
function eachOf(register, style) {
  return (table, ...values) => {
    const rows = isArray(table) && isArray(table.raw) ? rowsOfTemplate(table.raw[0], values) : [...table];
    return (title, ...rest) =>
      rows.forEach((row, index) => {
        const args = isArray(row) && style !== 'row' ? row : [row];
        const bound = rest.map((part) => (typeof part === 'function' ? bind(part(index), args, style) : part));
        register(`${title} [${index}]`, ...bound);
      });
  };
}

function bind(body, args, style) {
  if (style === 'done' && body.length > args.length) {
    return function withCallback(done) {
      return apply(body, this, [...args, done]);
    };
  }
  if (style === 'row') {
    return function withContext(context) {
      return apply(body, this, [...args, context]);
    };
  }
  return function plain() {
    return apply(body, this, args);
  };
}

function rowsOfTemplate(heading, values) {
  const names = heading.split('|').map((name) => name.trim());
  names[names.length - 1] = names[names.length - 1].split('\n')[0].trim();
  const rows = [];
  for (let at = 0; at < values.length; at += names.length)
    rows.push(Object.fromEntries(names.map((name, index) => [name, values[at + index]])));
  return rows;
}
