/**
 * Flags that decide what belongs to a suite or how its files load. All others (coverage, reporters, watching, colours,
 * workers) are dropped.
 */
interface KnownFlags {
  /** Flags whose value is the next word unless written with `=`. */
  valued: string[];
  /** Flags without a value. */
  plain: string[];
  /** Flags of this runner alone that are dropped together with their value. */
  dropped?: string[];
}

const NODE_FLAGS: KnownFlags = {
  valued: ['--require', '-r', '--import', '--loader', '--experimental-loader', '--conditions', '-C'],
  plain: [
    '--enable-source-maps',
    '--expose-gc',
    '--no-warnings',
    '--preserve-symlinks',
    '--no-experimental-strip-types',
    '--no-experimental-detect-module',
    '--expose-internals',
  ],
};

/** The runners that Assay knows. */
export type NodeRunner = 'vitest' | 'jest' | 'mocha' | 'node:test' | 'ava' | 'tape' | 'tap' | 'jasmine';

const RUNNER_FLAGS: Record<NodeRunner, KnownFlags> = {
  'node:test': { valued: ['--test-name-pattern', '--test-skip-pattern'], plain: ['--test-only'] },
  mocha: {
    valued: [
      '--ui',
      '-u',
      '--timeout',
      '-t',
      '--extension',
      '--file',
      '--spec',
      '--exclude',
      '--ignore',
      '--config',
      '--opts',
      '--package',
      '--globals',
      '--grep',
      '-g',
      '--fgrep',
      '-f',
      '--node-option',
      '-n',
    ],
    plain: [
      '--recursive',
      '--exit',
      '--delay',
      '--check-leaks',
      '--async-only',
      '-A',
      '--invert',
      '-i',
      '--sort',
      '-S',
      '--no-config',
      '--no-package',
      '--allow-uncaught',
    ],
  },
  jest: {
    valued: [
      '--config',
      '-c',
      '--projects',
      '--env',
      '--testEnvironment',
      '--testMatch',
      '--testRegex',
      '--testPathPattern',
      '--testPathPatterns',
      '--testPathIgnorePatterns',
      '--selectProjects',
      '--rootDir',
      '--roots',
      '--testTimeout',
      '--preset',
      '--setupFiles',
      '--setupFilesAfterEnv',
    ],
    plain: [],
  },
  vitest: {
    valued: [
      '--config',
      '-c',
      '--root',
      '-r',
      '--dir',
      '--environment',
      '--project',
      '--pool',
      '--mode',
      '--testTimeout',
      '--hookTimeout',
      '--exclude',
    ],
    plain: ['--globals', '--dom', '--no-isolate', '--isolate=false'],
  },
  ava: {
    valued: ['--match', '-m', '--config', '--node-arguments'],
    plain: ['--serial', '-s'],
    dropped: ['--timeout', '-T', '--concurrency', '-c'],
  },
  tape: { valued: [], plain: [], dropped: ['--ignore', '-i', '--ignore-pattern'] },
  tap: {
    valued: [],
    plain: [],
    dropped: ['--timeout', '-t', '--coverage-map', '-M', '--before', '--after', '--test-arg', '--output-file', '-o'],
  },
  jasmine: { valued: ['--config', '--helper'], plain: [], dropped: [] },
};

/** Flags that are dropped together with their value, so that it is not mistaken for a file. */
const DROPPED_VALUED = new Set([
  '--reporter',
  '-R',
  '--reporters',
  '--reporter-option',
  '--reporter-options',
  '-O',
  '--outputFile',
  '--coverageDirectory',
  '--coverageReporters',
  '--maxWorkers',
  '-w',
  '--test-reporter',
  '--test-reporter-destination',
  '--test-concurrency',
  '--jobs',
  '-j',
  '--retries',
  '--slow',
  '-s',
  '--retry',
  '--test-timeout',
  '--shard',
  '--test-shard',
  '--max-old-space-size',
  '--workerThreads',
  '--cacheDirectory',
]);

/** Keeps the words of a command that matter for its runner. Words that are not flags are file patterns and stay. */
export function runnerArguments(runner: NodeRunner, words: string[]): string[] {
  const own = RUNNER_FLAGS[runner];
  // vitest's `-r` means `--root`; both pass node flags on only from their configuration.
  const node = runner === 'vitest' || runner === 'ava' ? { valued: [], plain: [] } : NODE_FLAGS;
  const valued = new Set([...own.valued, ...node.valued]);
  const plain = new Set([...own.plain, ...node.plain]);
  const kept: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const flag = word.split('=')[0] ?? '';
    if (/^(\d?>|<|\$\(|`)/.test(word)) break;
    if (word === '--' || word === '') continue;
    if (!word.startsWith('-')) {
      kept.push(word);
    } else if (valued.has(flag)) {
      kept.push(word);
      if (!word.includes('=')) kept.push(words[(index += 1)] ?? '');
    } else if (
      plain.has(word) ||
      (/^--experimental-/.test(word) && !/coverage/.test(word)) ||
      /^--harmony/.test(word)
    ) {
      kept.push(word);
    } else if ((DROPPED_VALUED.has(flag) || own.dropped?.includes(flag)) && !word.includes('=')) {
      index += 1;
    }
  }
  return kept;
}
