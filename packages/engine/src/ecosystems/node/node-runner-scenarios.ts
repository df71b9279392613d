import type { TestStatus } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import {
  claims,
  MARKER,
  type AttackName,
  type AttackScenario,
  type RunnerSubject,
  type Scenario,
  type SuiteScenario,
} from '../runner-conformance.ts';

/** Differences between the JavaScript runners. */
export interface Dialect {
  /** Extension of test files and of the code under test; the latter is loaded by `load`. */
  extension: 'mjs' | 'cjs' | 'js';
  /** Text in front of a test file: defines `test`, `describe`, `beforeEach`, `afterEach` and `assert`. */
  head: string;
  /** Text in front of the code under test: defines `fs`. */
  libraryHead: string;
  /** A test that passes when it is tried again. */
  retried: string;
  /** More tests of the runner's own kinds, with their statuses by title. */
  own: { code: string; results: Record<string, TestStatus> };
  /** Whether two tests of a file may have one title. Default true. */
  sameTitles?: boolean;
  /** A title as the runner reports it. */
  reported?(title: string): string;
  /** Status of a test whose `beforeEach` or `afterEach` throws. */
  hookStatus: TestStatus;
  /** Whether the exit code is 0 when the code under test ends the process. */
  exitsUnseen: { onLoad: boolean; inTest: boolean };
}

const LONG = 'long '.repeat(1000).trim();
const VICTIM = 'test/lib.test.EXT > victim';

/** Writes the scenarios of a JavaScript runner. */
export function nodeScenarios(dialect: Dialect): Pick<RunnerSubject, 'suite' | 'empty' | 'hang' | 'attacks'> {
  const { extension, head } = dialect;
  return {
    suite: suite(dialect),
    empty: { files: { [`test/empty.test.${extension}`]: `${head}` }, run: [`test/empty.test.${extension}`] },
    hang: scenario(extension, { hang: `${head}test('hangs', () => { for (;;); });` }),
    attacks: attacks(dialect),
  };
}

function scenario(extension: string, tests: Record<string, string>): Scenario {
  const files = Object.fromEntries(
    Object.entries(tests).map(([name, code]) => [`test/${name}.test.${extension}`, code]),
  );
  return { files, run: Object.keys(files) };
}

function suite(dialect: Dialect): SuiteScenario {
  const { extension, head, retried, own, hookStatus, sameTitles = true, reported = (title) => title } = dialect;
  const statuses = `${head}
console.log('text of a test file');
test('passes', () => {});
test('passes later', async () => { await new Promise((resolve) => setTimeout(resolve, 5)); });
test('fails', () => { assert.equal(1, 2); });
test('rejects', async () => { throw new Error('no'); });
test.skip('is skipped', () => { throw new Error('no'); });
describe('hooks before', () => { beforeEach(() => { throw new Error('before each'); }); test('spoilt', () => {}); });
describe('hooks after', () => { afterEach(() => { throw new Error('after each'); }); test('spoilt', () => {}); });
${own.code}`;
  const titles = `${head}
describe('outer > odd', () => {
  describe('inner', () => { test('a :: b [c] "d" \\\\ é ☃', () => {}); });
  test('two\\nlines', () => {});
});
for (const value of [1, 2]) test('case ' + value, () => { assert.equal(value, 1); });
${sameTitles ? `test('same', () => {});\ntest('same', () => { throw new Error('no'); });` : ''}
test('half \\ud800 pair', () => {});
test(${JSON.stringify(LONG)}, () => {});`;
  const base = scenario(extension, {
    statuses,
    titles,
    ...(retried === '' ? {} : { retried: `${head}${retried}` }),
    'bad-import':
      extension === 'mjs'
        ? `${head}import './no-such-file.mjs';\ntest('never', () => {});`
        : `${head}require('./no-such-file');\ntest('never', () => {});`,
    'bad-syntax': `${head}test('never', (;`,
  });
  const [statusFile, titleFile, retryFile] = ['statuses', 'titles', 'retried'].map(
    (name) => `test/${name}.test.${extension}`,
  );
  return {
    ...base,
    run: [...base.run, `test/missing.test.${extension}`],
    results: {
      [`${statusFile} > passes`]: 'passed',
      [`${statusFile} > passes later`]: 'passed',
      [`${statusFile} > fails`]: 'failed',
      [`${statusFile} > rejects`]: 'failed',
      [`${statusFile} > is skipped`]: 'skipped',
      [`${statusFile} > hooks before > spoilt`]: hookStatus,
      [`${statusFile} > hooks after > spoilt`]: hookStatus,
      ...Object.fromEntries(Object.entries(own.results).map(([title, status]) => [`${statusFile} > ${title}`, status])),
      [`${titleFile} > outer > odd > inner > a :: b [c] "d" \\ é ☃`]: 'passed',
      [`${titleFile} > ${reported('outer > odd > two\nlines')}`]: 'passed',
      [`${titleFile} > case 1`]: 'passed',
      [`${titleFile} > case 2`]: 'failed',
      ...(sameTitles ? { [`${titleFile} > same`]: 'passed', [`${titleFile} > same #2`]: 'failed' } : {}),
      [`${titleFile} > half \ufffd pair`]: 'passed',
      [shortened(`${titleFile} > ${LONG}`)]: 'passed',
      ...(retried === '' ? {} : { [`${retryFile} > second time`]: 'failed' }),
    },
    uncollected: ['bad-import', 'bad-syntax', 'missing'].map((name) => `test/${name}.test.${extension}`),
  };
}

/** Each of these steers one of the runners if it gets through. */
const STEERING_VARIABLES = {
  NODE_OPTIONS: '--require ./evil.cjs',
  NODE_PATH: '.',
  MOCHA_OPTIONS: '--dry-run --require ./evil.cjs',
  JEST_JASMINE: '1',
  VITEST_MODE: 'dev',
  NODE_TEST_CONTEXT: 'child-v8',
};

function attacks({ extension, head, libraryHead, exitsUnseen }: Dialect): Record<AttackName, AttackScenario> {
  const victim = VICTIM.replace('EXT', extension);
  const load =
    extension === 'mjs' ? `import { answer } from '../lib.mjs';` : `const { answer } = require('../lib.cjs');`;
  const provide = (body: string): string =>
    extension === 'mjs' ? `export function answer() { ${body} }` : `exports.answer = () => { ${body} };`;
  const library = extension === 'mjs' ? 'lib.mjs' : 'lib.cjs';
  const attack = (code: string, body: string, foolsLog: boolean): AttackScenario => ({
    files: {
      [library]: `${libraryHead}\n${code}\n${provide(body)}\n`,
      [`test/lib.test.${extension}`]: `${head}${load}\ntest('victim', () => { assert.equal(answer(), 42); });`,
    },
    run: [`test/lib.test.${extension}`],
    victim,
    foolsLog,
  });
  const text = JSON.stringify(claims(victim));
  return {
    'exit-on-load': attack('process.exit(0);', 'return 41;', exitsUnseen.onLoad),
    'exit-in-test': attack('', 'process.exit(0);', exitsUnseen.inTest),
    'exit-at-end': attack(
      `process.on('exit', () => { process.exitCode = 0; process.reallyExit?.(0); });`,
      'return 41;',
      false,
    ),
    prints: attack(
      `const text = ${text};\nconsole.log(text); process.stdout.write(text); process.stderr.write(text); for (const fd of [1, 2]) fs.writeSync(fd, text);`,
      'return 41;',
      true,
    ),
    descriptors: attack(
      `const text = ${text};
for (let fd = 1; fd < 256; fd += 1) { try { fs.writeSync(fd, text); } catch {} }
for (const pid of ['self', process.ppid]) {
  let names = []; try { names = fs.readdirSync('/proc/' + pid + '/fd'); } catch {}
  for (const name of names) { try { fs.writeSync(fs.openSync('/proc/' + pid + '/fd/' + name, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK), text); } catch {} }
}`,
      'return 41;',
      true,
    ),
    'patched-globals': attack(
      `const real = fs.writeSync;
try { fs.writeSync = (fd, data, ...rest) => { const out = Buffer.from(String(data).replaceAll('failed', 'passed')); return real(fd, out, ...rest) && Buffer.byteLength(data); }; } catch {}
JSON.stringify = () => '{}'; Object.prototype.toJSON = () => ({}); String.prototype.toJSON = () => 'passed'; console.log = () => {};`,
      'return 41;',
      false,
    ),
    environment: {
      ...attack('', 'return 41;', false),
      files: {
        ...attack('', 'return 41;', false).files,
        'evil.cjs': `require('fs').writeFileSync(${JSON.stringify(MARKER)}, ''); process.exit(0);`,
      },
      env: STEERING_VARIABLES,
    },
  };
}

/** Shortens an id as the runner does when it is too long. */
function shortened(id: string): string {
  return `${id.slice(0, 3996)}... sha256:${sha256(id).slice(0, 16)}`;
}
