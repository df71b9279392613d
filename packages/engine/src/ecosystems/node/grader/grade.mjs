// Grades what an agent left in /workspace, as root, in a verifier image of its own. Node 18, no packages.
//
// The submission is read as a change against T0, by content; a fresh tree is made of T0, that change and the hidden
// tests; the tests run in it as a user who can write nothing else. Any trouble leaves the reward at 0.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const TESTS = '/tests';
const WORKSPACE = '/workspace';
const BASE = '/verifier/t0';
const LOGS = '/logs/verifier';
const HOME = '/home/sandbox';
const USER = 10001;
/** Compares what stripped tests observed. It shares no user with what observed, and runs when that is dead. */
const EVALUATOR = 10002;
const ORACLE = '/opt/oracle/tool.mjs';
const OBSERVATIONS = '/tmp/assay-observations.jsonl';
const RUNNER = '/opt/runner/launch.mjs';
const ENVIRONMENT = {
  PATH: `/usr/local/bin:${WORKSPACE}/node_modules/.bin:/usr/bin:/bin`,
  HOME,
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  TZ: 'UTC',
  CI: '1',
  NO_COLOR: '1',
};

const MAX_FILES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_CHANNEL = 64 * 1024 * 1024;
const MAX_LOG = 4 * 1024 * 1024;
const STATUSES = new Set(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed']);

/** The submission earns nothing; the message says why. */
class Fail extends Error {}

async function main() {
  writeReward(0, { note: 'grading did not come to its end' });
  let answer;
  try {
    const contract = JSON.parse(readFileSync(join(TESTS, 'contract.json'), 'utf8'));
    answer = await grade(contract, readPlan());
  } catch (error) {
    if (!(error instanceof Fail)) throw error;
    answer = { reward: 0, note: error.message };
  }
  const { reward, ...details } = answer;
  writeReward(reward, details);
  console.log(JSON.stringify(details, null, 1));
}

/** How the hidden tests were taken apart; null when they were not. */
function readPlan() {
  const file = join(TESTS, 'split', 'plan.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

async function grade(contract, plan) {
  const change = collectSubmission(contract);
  if (plan === null) {
    composeTree(change, 'hidden');
    return score(contract, await runTests(contract, contract.test.files));
  }
  const statuses = new Map([
    ...(await runStripped(contract, change, plan)),
    ...(await runInside(contract, change, plan)),
  ]);
  const answer = score(contract, statuses);
  const forged = answer.reward === 1 ? await runControl(contract, change, plan) : [];
  if (forged.length > 0) throw new Fail(`forged: ${forged.length} tests that cannot pass were reported as passed`);
  return answer;
}

function writeReward(reward, details) {
  for (const [name, value] of [
    ['details.json', details],
    ['reward.json', { reward }],
  ]) {
    const draft = join(LOGS, `.${name}`);
    writeFileSync(draft, JSON.stringify(value, null, 1));
    renameSync(draft, join(LOGS, name));
  }
}

// --- The tree
// ----------------------------------------------------------------------------------------------------------------------

const ARCHIVE = join(TESTS, 'environment', 'repo.tar.gz');

/** The submission as a change against T0, without what steers the tests. */
function collectSubmission(contract) {
  unpack(ARCHIVE, BASE);
  const { files, deleted } = collectChange(WORKSPACE, BASE, matcher(contract.output));
  const steers = matcher(contract.steering);
  return { files: files.filter((file) => !steers(file.path)), deleted: deleted.filter((path) => !steers(path)) };
}

/** Leaves T0 + submission + one form of the hidden tests in the workspace, and the installed packages as they were. */
function composeTree(change, tests) {
  for (const name of readdirSync(WORKSPACE, { encoding: 'buffer' })) remove(inside(WORKSPACE, name));
  unpack(ARCHIVE, WORKSPACE);
  applyChange(change);
  applyChange(readChange(join(TESTS, tests)));
  own(WORKSPACE);
  const modules = join(TESTS, 'environment', 'node_modules.tar.gz');
  if (existsSync(modules)) unpack(modules, WORKSPACE);
}

function unpack(archive, directory) {
  mkdirSync(directory, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '-C', directory, '--no-same-owner']);
}

function matcher(expressions) {
  const compiled = expressions.map((expression) => new RegExp(`^(?:${expression})$`, 's'));
  return (path) => compiled.some((expression) => expression.test(path));
}

/** Path and status of every regular file, links not followed, git data and names that are no UTF-8 left out. */
function* walk(root) {
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const bytes of readdirSync(join(root, directory), { encoding: 'buffer' })) {
      const name = bytes.toString('utf8');
      if (name.toLowerCase() === '.git' || !Buffer.from(name).equals(bytes)) continue;
      const path = directory === '' ? name : `${directory}/${name}`;
      const status = lstatSync(join(root, path));
      if (status.isDirectory()) pending.push(path);
      else if (status.isFile()) yield { path, status };
    }
  }
}

function collectChange(submission, base, isOutput) {
  const old = new Map([...walk(base)].map(({ path, status }) => [path, status]));
  const files = [];
  const seen = new Set();
  let size = 0;
  for (const { path, status } of walk(submission)) {
    seen.add(path);
    const executable = (status.mode & 0o100) !== 0;
    const known = old.get(path);
    if (known === undefined && isOutput(path)) continue;
    const alike = known !== undefined && known.size === status.size && ((known.mode & 0o100) !== 0) === executable;
    if (alike && readFileSync(join(submission, path)).equals(readFileSync(join(base, path)))) continue;
    size += status.size;
    if (size > MAX_BYTES || files.length >= MAX_FILES) throw new Fail('the submission is too large');
    files.push({ path, content: readFileSync(join(submission, path)), executable });
  }
  return { files, deleted: [...old.keys()].filter((path) => !seen.has(path)) };
}

function readChange(directory) {
  const deleted = JSON.parse(readFileSync(join(directory, 'deleted.json'), 'utf8'));
  const executable = new Set(JSON.parse(readFileSync(join(directory, 'executable.json'), 'utf8')));
  const root = join(directory, 'files');
  const paths = existsSync(root) ? [...walk(root)].map(({ path }) => path) : [];
  return {
    files: paths.map((path) => ({ path, content: readFileSync(join(root, path)), executable: executable.has(path) })),
    deleted,
  };
}

function applyChange({ files, deleted }) {
  for (const path of deleted) {
    const target = resolvePath(path, false);
    if (target !== null) remove(target);
  }
  for (const { path, content, executable } of files) {
    const target = resolvePath(path, true);
    remove(target);
    writeFileSync(target, content, { flag: 'wx' });
    chmodSync(target, executable ? 0o755 : 0o644);
  }
}

/**
 * The place of a path in the workspace, never through a link: what is no directory on the way gives way, or is null.
 */
function resolvePath(path, make) {
  const parts = path.split('/');
  if (parts.some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase())))
    throw new Fail(`the path ${JSON.stringify(path)} is no path inside a repository`);
  let current = WORKSPACE;
  for (const part of parts.slice(0, -1)) {
    current = join(current, part);
    if (lstatSync(current, { throwIfNoEntry: false })?.isDirectory()) continue;
    if (!make) return null;
    remove(current);
    mkdirSync(current);
  }
  return join(current, parts.at(-1));
}

const remove = (path) => rmSync(path, { recursive: true, force: true });

const inside = (directory, name) => Buffer.concat([Buffer.from(`${directory}/`), name]);

function own(location) {
  lchownSync(location, USER, USER);
  if (!lstatSync(location).isDirectory()) return;
  for (const name of readdirSync(location, { encoding: 'buffer' })) own(inside(location, name));
}

// --- The tests
// ---------------------------------------------------------------------------------------------------------------------

/** Runs the stripped tests, and then compares what they observed. The statuses of the original tests, by id. */
async function runStripped(contract, change, plan) {
  const statuses = new Map();
  if (plan.files.length === 0) return statuses;
  composeTree(change, 'split/stripped');
  const inner = await runTests(contract, plan.files, OBSERVATIONS);
  const { tests, problems } = await evaluate(plan);
  for (const { id, stripped, sites } of plan.tests) {
    const status = inner.get(stripped);
    if (status === undefined) continue;
    const evaluated = Object.hasOwn(tests, id) ? tests[id] : undefined;
    const mayObserveNothing = Object.keys(sites ?? {}).length === 0;
    const isSeen = evaluated !== undefined || mayObserveNothing;
    const holds = problems.length === 0 && isSeen && evaluated?.why === undefined;
    statuses.set(id, status === 'passed' && !holds ? 'failed' : status);
  }
  return statuses;
}

/** Runs the tests that could not be taken apart, as they were written. */
async function runInside(contract, change, plan) {
  const ids = new Set(plan.tests.filter(({ stripped }) => stripped === undefined).map(({ id }) => id));
  if (ids.size === 0) return new Map();
  composeTree(change, 'hidden');
  const statuses = await runTests(contract, contract.split.inside);
  return new Map([...statuses].filter(([id]) => ids.has(id)));
}

/** Ids of tests that cannot pass and were reported as passed. */
async function runControl(contract, change, plan) {
  if (plan.control.length === 0) return [];
  composeTree(change, 'split/control');
  const statuses = await runTests(contract, contract.split.control);
  return plan.control.filter((id) => statuses.get(id) === 'passed');
}

/** Compares outside: a process of another user, which has the plan and what was observed, and nothing of the submission. */
async function evaluate(plan) {
  const directory = mkdtempSync('/tmp/assay-oracle-');
  const observations = join(directory, 'observations.jsonl');
  const request = join(directory, 'request.json');
  writeFileSync(observations, readObservations());
  writeFileSync(request, JSON.stringify({ mode: 'evaluate', plan, observations }));
  for (const path of [directory, observations, request]) lchownSync(path, EVALUATOR, EVALUATOR);
  const { channel, log, problem } = await runAsUser([process.execPath, ORACLE, request], {}, 300, EVALUATOR);
  remove(directory);
  if (problem) throw new Fail(`what was observed cannot be compared: ${problem}`);
  try {
    return JSON.parse(channel.toString('utf8'));
  } catch {
    throw new Fail(`what was observed cannot be compared: ${log.toString('utf8').slice(-300)}`);
  }
}

/** What the stripped tests wrote. Whoever wrote it is dead; a link, a pipe or too much is nothing. */
function readObservations() {
  const status = lstatSync(OBSERVATIONS, { throwIfNoEntry: false });
  if (status === undefined) return '';
  if (!status.isFile() || status.size > MAX_CHANNEL) return 'not observations\n';
  const content = readFileSync(OBSERVATIONS);
  remove(OBSERVATIONS);
  return content;
}

/** Status by id. */
async function runTests(contract, files, observations) {
  const nonce = randomBytes(16).toString('hex');
  const { runner, args, timeoutSec } = contract.test;
  const request = { nonce, root: WORKSPACE, runner, files, args, observations };
  const { channel, log, problem } = await runAsUser([process.execPath, RUNNER], request, timeoutSec, USER);
  appendFileSync(join(LOGS, 'tests.log'), log);
  if (problem) throw new Fail(problem);
  return readChannel(channel, nonce);
}

function score(contract, statuses) {
  const wrong = contract.expected.filter((id) => statuses.get(id) !== 'passed');
  const count = contract.expected.length;
  if (count === 0 || wrong.length > 0) {
    const tests = Object.fromEntries(wrong.map((id) => [id, statuses.get(id) ?? 'missing']));
    return { reward: 0, note: `${wrong.length} of ${count} expected tests did not pass`, tests };
  }
  return { reward: 1, note: `all ${count} expected tests passed` };
}

/** Runs a program with nothing of this process but three pipes; kills all that it leaves behind. */
async function runAsUser(argv, request, seconds, user) {
  mkdirSync(HOME, { recursive: true, mode: 0o700 });
  lchownSync(HOME, user, user);
  const [file, ...rest] = unprivileged(argv);
  const child = spawn(file, rest, {
    cwd: WORKSPACE,
    env: ENVIRONMENT,
    uid: user,
    gid: user,
    detached: true,
    stdio: 'pipe',
  });
  const channel = keep(child.stdout, MAX_CHANNEL);
  const log = keep(child.stderr, MAX_LOG);
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify(request)}\n`);
  const exited = once(child, 'exit').then(() => true);
  const timely = await Promise.race([exited, sleep(seconds * 1000, false, { ref: false })]);
  await killAllOfUser(user);
  await exited;
  await Promise.race([Promise.all([channel.ended, log.ended]), sleep(30_000, undefined, { ref: false })]);
  const problem = timely
    ? channel.overflowed
      ? 'the result channel was flooded'
      : null
    : `the tests took longer than ${seconds} seconds`;
  return { channel: channel.content(), log: log.content(), problem };
}

function unprivileged(argv) {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  return setpriv ? [setpriv, '--no-new-privs', '--', ...argv] : argv;
}

/** Reads a pipe to its end, keeping no more than a limit. */
function keep(pipe, limit) {
  const chunks = [];
  let size = 0;
  const kept = { overflowed: false, ended: once(pipe, 'close'), content: () => Buffer.concat(chunks) };
  pipe.on('data', (chunk) => {
    kept.overflowed ||= size + chunk.length > limit;
    const part = chunk.subarray(0, limit - size);
    size += part.length;
    if (part.length > 0) chunks.push(part);
  });
  return kept;
}

/** Until none is left, since a process may fork between the look and the kill. */
async function killAllOfUser(user) {
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && runsAsUser(name, user));
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
    await sleep(10);
  }
  throw new Fail('processes of the tests could not be ended');
}

function runsAsUser(pid, user) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    return new RegExp(`^Uid:.*\\b${user}\\b`, 'm').test(text) && !/^State:\s+[ZX]/m.test(text);
  } catch {
    return false;
  }
}

/** Status by id. Whatever is not exactly a report of this run is a failure. */
function readChannel(content, nonce) {
  const statuses = new Map();
  let ended = null;
  for (const [index, record] of parseRecords(content).entries()) {
    if (typeof record !== 'object' || record === null || record.nonce !== nonce)
      throw new Fail('the result channel holds a record of somebody else');
    if (ended !== null || (record.type === 'start') !== (index === 0))
      throw new Fail('the result channel is out of order');
    if (record.type === 'test') {
      if (typeof record.id !== 'string' || !STATUSES.has(record.status) || statuses.has(record.id))
        throw new Fail('the result channel reports a test wrongly or twice');
      statuses.set(record.id, record.status);
    } else if (record.type === 'end') ended = record.tests;
    else if (record.type !== 'start' && record.type !== 'uncollected')
      throw new Fail('the result channel holds a record of no kind');
  }
  if (ended === null || ended !== statuses.size) throw new Fail('the tests did not come to their end');
  return statuses;
}

function parseRecords(content) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch {
    throw new Fail('the result channel holds what is no record');
  }
}

await main();
