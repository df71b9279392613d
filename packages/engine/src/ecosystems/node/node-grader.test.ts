import { graderConformance } from '../grader-conformance.ts';
import { nodeImage } from './node-image.ts';

const RUNNER = `
import fs from 'node:fs';
import child from 'node:child_process';
const request = JSON.parse(fs.readFileSync(0, 'utf8'));
process.chdir(request.root);
const emit = (record, nonce = request.nonce) => fs.writeSync(1, JSON.stringify({ ...record, nonce }) + '\\n');
const read = (path) => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null);
emit({ type: 'start', runner: 'fixture' });
if (fs.existsSync('hostile.mjs')) await new (Object.getPrototypeOf(async () => {}).constructor)('emit', 'fs', 'child', read('hostile.mjs'))(emit, fs, child);
const passed = read('steer') === 'pass' || read('value') === read('wanted');
emit({ type: 'test', id: 'good', status: passed ? 'passed' : 'failed', durationMs: 1 });
emit({ type: 'end', tests: 1 });
`;

graderConformance({
  grader: nodeImage.grader,
  program: ['/opt/node', '/tests/grade.mjs'],
  mounts: ['--ro-bind', process.execPath, '/opt/node'],
  runner: { name: 'launch.mjs', text: RUNNER },
  hostile: 'hostile.mjs',
  attacks: {
    'a record with another nonce': "emit({ type: 'uncollected' }, '0'.repeat(32))",
    'a line that is no record': "fs.writeSync(1, 'hello\\n')",
    'a test reported twice': "emit({ type: 'test', id: 'good', status: 'passed' })",
    'an early exit': 'process.exit(0)',
    'an end without tests': "emit({ type: 'end', tests: 0 }); process.exit(0)",
    'an end that counts wrongly':
      "emit({ type: 'test', id: 'good', status: 'passed' }); emit({ type: 'end', tests: 2 }); process.exit(0)",
    'a record after the end': "emit({ type: 'end', tests: 0 })",
    'a test that never ends': 'await new Promise(() => setInterval(() => {}, 1000))',
    'a flood':
      "const chunk = 'x'.repeat(1048576); for (let i = 0; i < 65; i += 1) for (let n = 0; n < chunk.length; ) { try { n += fs.writeSync(1, chunk.slice(n)); } catch {} }",
    'reads the contract': "try { fs.accessSync('/tests/contract.json'); fs.writeFileSync('value', 'good'); } catch {}",
    'writes where the reward lies': "fs.writeFileSync('/logs/verifier/mine', ''); fs.writeFileSync('value', 'good')",
    'leaves a daemon':
      "child.spawn('setsid', ['sh', '-c', 'trap \"\" TERM HUP; sleep 1000'], { detached: true, stdio: 'inherit' }).unref()",
    'looks for output of tools':
      "if (fs.existsSync('__pycache__/new') || fs.readFileSync('.venv/state', 'utf8') !== 'changed') fs.writeFileSync('value', 'good');",
  },
});
