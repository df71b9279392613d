'use strict';
/*
 * The child's end of its channel to the launcher. Everything used is bound when this file is loaded, before anything of
 * the repository, so that a patched `fs.writeSync` or `JSON.stringify` changes nothing.
 */
const { readSync, writeSync, openSync, closeSync } = require('node:fs');
const { stringify, parse } = JSON;
const { from, allocUnsafe } = Buffer;
const CHANNEL = 3;

/**
 * Reads the request from standard input, once: `{request, nonce, emit}`. `emit(type, fields)` takes strings and
 * numbers.
 */
function connect() {
  const { nonce, ...request } = parse(readLine(0));
  const emit = (type, fields) => {
    // No prototype, so no `toJSON` that somebody put on one.
    const record = { __proto__: null, nonce, type };
    for (const name in fields) record[name] = fields[name];
    const bytes = from(`${stringify(record)}\n`);
    let done = 0;
    while (done < bytes.length) {
      try {
        done += writeSync(CHANNEL, bytes, done);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  };
  return { request, nonce, emit };
}

/** The first line of a descriptor, which is the null device afterwards. */
function readLine(descriptor) {
  const buffer = allocUnsafe(65536);
  let text = '';
  while (!text.includes('\n')) {
    let length = 0;
    try {
      length = readSync(descriptor, buffer, 0, buffer.length, null);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      throw error;
    }
    if (length === 0) break;
    text += buffer.toString('latin1', 0, length);
  }
  // Tests see an empty input.
  closeSync(descriptor);
  openSync('/dev/null', 'r');
  return from(text.split('\n', 1)[0], 'latin1').toString('utf8');
}

module.exports = { connect, readLine };
