/** Flags whose value is the next word unless written with `=`, of node and of every runner. */
const VALUED = new Set(
  (
    '--require -r --import --loader --experimental-loader --conditions -C --env-file --test-name-pattern --test-skip-pattern --test-timeout ' +
    '--test-concurrency --test-shard --test-reporter --test-reporter-destination --config -c --projects --env --testEnvironment --testMatch ' +
    '--testRegex --testPathPattern --testPathPatterns --testPathIgnorePatterns --selectProjects --rootDir --roots --testTimeout --preset ' +
    '--setupFiles --setupFilesAfterEnv --testNamePattern -t --maxWorkers -w --reporters --reporter -R --root --dir --environment --project ' +
    '--pool --mode --hookTimeout --exclude --ui -u --timeout --extension --file --spec --ignore --opts --package --globals --grep -g --fgrep ' +
    '-f --node-option -n --retries --retry --jobs -j --slow -s --reporter-option --reporter-options -O --shard --match -m --node-arguments --concurrency --ignore-pattern'
  ).split(' '),
);
/** vitest's and mocha's flag of this name are their own; for vitest it takes no value. */
const PLAIN_IN = {
  vitest: new Set(['--globals', '-u']),
  jest: new Set(['-u', '-f']),
  mocha: new Set(),
  // `-s` is `--serial`, and so on.
  ava: new Set(['-s', '-u', '-t', '-w', '-c', '-f']),
  tape: new Set(),
  tap: new Set(),
  jasmine: new Set(),
  'node:test': new Set(['-s']),
};
/** node's own test runner, watcher and debugger do not run: the reporter and the processes are ours. */
const REFUSED_OF_NODE =
  /^--(test|watch|inspect|experimental-test-coverage|test-(reporter|coverage|isolation|concurrency|shard|update|rerun|global).*|experimental-test-(isolation|coverage).*|cpu-prof|heap-prof|run|eval|print)(-.*)?$/;
const OF_NODE =
  /^--(no-)?(experimental|harmony|expose|stack|max|enable-source-maps|preserve-symlinks|no-warnings|trace)/;

/**
 * Words of T0's test command as `nodeFlags` (for the interpreter), `flags` (for the runner; mocha sorts node's out
 * itself) and `patterns` (words that are no flags, that is which files are the suite).
 */
export function splitArguments(runner, words) {
  const split = { nodeFlags: [], flags: [], patterns: [] };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    const name = word.split('=', 1)[0];
    if (!word.startsWith('-')) {
      split.patterns.push(word);
      continue;
    }
    const hasValue = VALUED.has(name) && !word.includes('=') && !PLAIN_IN[runner].has(name) && index + 1 < words.length;
    const whole = hasValue ? [word, words[(index += 1)]] : [word];
    if (name === '--test-concurrency') split.concurrency = Number(whole[1] ?? word.split('=')[1]) || undefined;
    if (!isOfNode(runner, name)) split.flags.push(...whole);
    else if (!REFUSED_OF_NODE.test(name)) split.nodeFlags.push(...whole);
  }
  return split;
}

function isOfNode(runner, name) {
  if (runner === 'node:test' || runner === 'tape' || runner === 'tap') return true;
  if (runner === 'mocha' || !name.startsWith('--')) return runner === 'jest' && (name === '-r' || name === '-C');
  return process.allowedNodeEnvironmentFlags.has(name) || OF_NODE.test(name);
}
