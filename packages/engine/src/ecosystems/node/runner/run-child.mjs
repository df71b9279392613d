import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const MAX_LINE_LENGTH = 64 * 1024;
/** How long a child may stay after its last record: open handles keep a process that has nothing more to say. */
const LINGER_MS = 3000;
/** Variables that steer node or a runner; the flags that shall be are on the command line. */
const STEERING =
  /^(NODE_OPTIONS|NODE_PATH|NODE_V8_COVERAGE|NODE_TEST_CONTEXT|NODE_EXTRA_CA_CERTS|NODE_REPL_.*|MOCHA_OPTIONS|VITEST.*|JEST_.*|JASMINE_.*|TAP_.*|NYC_.*)$/;

/**
 * Runs a script that reports on descriptor 3, and waits for its end. The request, with a nonce that holds for this
 * child only, is its standard input. `ended`: its reporter came to the end, and no other line was among its records.
 * `again`: it asks for another start. `observations`: a file; the observer of stripped tests, loaded first in every
 * process of node, adds its lines to it. `env`: variables that T0's test command sets.
 */
export async function runChild({ flags, script, cwd, env: variables, request, observations, onRecord, onForged }) {
  const nonce = randomBytes(16).toString('hex');
  const env = { ...childEnvironment(), ...variables, ...(observations === undefined ? {} : observing(observations)) };
  const child = spawn(process.execPath, [...flags, script], { stdio: ['pipe', 2, 2, 'pipe'], cwd, env });
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify({ ...request, nonce })}\n`);

  const state = { ended: false, again: false, failed: 0, broken: false };
  let linger;
  const onLine = (line) => {
    const record = parseRecord(line, nonce);
    if (record === null || state.ended) {
      state.broken = true;
      onForged('something else than the reporter wrote on the channel of a test process');
    } else if (record.type === 'end') {
      state.ended = true;
      linger = setTimeout(() => child.kill('SIGKILL'), LINGER_MS);
    } else if (record.type === 'again') {
      state.again = true;
    } else {
      if (record.status === 'failed' || record.status === 'error') state.failed += 1;
      onRecord(record);
    }
  };
  const lines = splitLines(onLine, () => {
    onForged('a test process floods its channel');
    child.kill('SIGKILL');
  });
  const channel = child.stdio[3];
  channel.setEncoding('utf8');
  channel.on('data', lines);
  channel.on('error', () => {});

  const closed = new Promise((resolve) => channel.once('close', resolve));
  const { code, signal } = await new Promise((resolve) => {
    child.once('error', () => resolve({ code: null, signal: 'no start' }));
    child.once('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
  });
  // What is still in the socket is read; a grandchild that keeps it open is not waited for.
  const grace = setTimeout(() => channel.destroy(), LINGER_MS);
  await closed;
  clearTimeout(grace);
  clearTimeout(linger);
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return {
    ended: state.ended && !state.broken,
    again: state.again,
    failed: state.failed,
    exitCode: state.ended && signal === 'SIGKILL' ? 0 : code,
    how,
  };
}

/**
 * Runs a shell line that makes what the tests load, and waits for its end. What it could not make fails the tests that
 * need it. It holds no channel.
 */
export function runLine({ line, cwd, env: variables }) {
  const env = { ...childEnvironment(), ...variables };
  const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 2, 2], cwd, env });
  return new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', resolve);
  });
}

function childEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !STEERING.test(name)));
}

function observing(path) {
  const observer = fileURLToPath(new URL('observer.cjs', import.meta.url));
  return { NODE_OPTIONS: `--require ${JSON.stringify(observer)}`, ASSAY_OBSERVATIONS: path };
}

function splitLines(onLine, onFlood) {
  let rest = '';
  let flooded = false;
  return (chunk) => {
    if (flooded) return;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) onLine(line);
    flooded = rest.length > MAX_LINE_LENGTH;
    if (flooded) onFlood();
  };
}

function parseRecord(line, nonce) {
  try {
    const record = JSON.parse(line);
    return typeof record === 'object' && record !== null && record.nonce === nonce ? record : null;
  } catch {
    return null;
  }
}
