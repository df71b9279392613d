/**
 * Runs the test functions of shell scripts, each in a shell of its own, and reports over the result channel: signed
 * lines on standard output, the log of the tests on standard error.
 */
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const { nonce, root, files } = JSON.parse(readFileSync(0, 'utf8'));
const RUN = '. "./$1"; "$2"';
let line = 0;
let tests = 0;

function write(record) {
  const text = JSON.stringify(record);
  const code = createHmac('sha256', nonce).update(`${line}\n${text}`).digest('hex').slice(0, 32);
  process.stdout.write(`${code} ${text}\n`);
  line += 1;
}

write({ type: 'start', runner: 'shell-functions 1' });
const all = (directory) =>
  existsSync(`${root}/${directory}`)
    ? readdirSync(`${root}/${directory}`).filter((name) => name.endsWith('.test.sh'))
    : [];
for (const file of files.length > 0 ? files : all('test').map((name) => `test/${name}`)) {
  if (!existsSync(`${root}/${file}`)) {
    write({ type: 'uncollected', file, detail: 'there is no such file' });
    continue;
  }
  const names = [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/^(test_\w+) *\(\)/gm)].map(([, name]) => name);
  for (const name of new Set(names)) {
    const started = performance.now();
    // Standard output belongs to the channel, and no child inherits it.
    const { status } = spawnSync('/bin/sh', ['-eu', '-c', RUN, 'sh', file, name], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
    tests += 1;
    const durationMs = performance.now() - started;
    write({ type: 'test', id: `${file} > ${name}`, status: status === 0 ? 'passed' : 'failed', durationMs });
  }
}
write({ type: 'end', tests });
