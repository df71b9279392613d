import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { INSTANCES, locks, PRELUDE } from '../../../../testkit/src/conformance/shared-kernel-attacks.ts';
import { runCommand } from '../../process/run-command.ts';

/** One sandbox holds each of these, and another one looks. */
const ATTACKS = [INSTANCES, locks('/opt/over/file')['flock(2)'], locks('/opt/plain/file')['flock(2)']].map((each) => ({
  hold: PRELUDE + each?.hold,
  look: PRELUDE + each?.look,
}));

/** An id that belongs to nobody. */
const SOMEBODY = 61_234;

const SCRIPT = `
import { existsSync, mkdirSync, symlinkSync, writeFileSync, readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { chooseProvider, detectProviders, sandboxOwner } from INDEX;
const home = process.env.HOME;
mkdirSync(home + '/layer/dir', { recursive: true });
writeFileSync(home + '/layer/file', 'layer');
writeFileSync(home + '/layer/dir/deleted', 'x');
mkdirSync(home + '/tree/srv', { recursive: true });
for (const name of ['bin', 'lib', 'lib64']) symlinkSync('usr/' + name, home + '/tree/' + name);
writeFileSync(home + '/tree/srv/file', 'served');
const report = (await detectProviders()).find(({ name }) => name === 'bubblewrap');
if (!report.available) {
  console.log(JSON.stringify({ report }));
  process.exit();
}
const provider = await chooseProvider();
const sandbox = await provider.create({ mounts: [
  { kind: 'layers', sources: [home + '/layer'], target: '/workspace', deleted: ['dir/deleted'] },
  { kind: 'read-only', source: home + '/layer', target: '/opt/layer' },
  { kind: 'read-only', source: '/proc/sys/kernel/ostype', target: '/opt/ostype' },
] });
const seen = await sandbox.exec('id -u; id -un; echo *; echo dir/*; echo changed > file; (echo x > /opt/layer/x) 2>/dev/null; for f in /usr/x /x /etc/passwd /run/x /dev/x; do (echo x > $f) 2>/dev/null && echo $f; done; mv /etc /e 2>/dev/null && echo moved; (for d in /tmp /var/tmp /home/user /dev/shm; do echo x > $d/x || echo $d; done); grep CapEff /proc/self/status | cut -f2; tail -n +3 /proc/net/dev | grep -vc lo:; mkdir closed; chmod 0 closed');
await sandbox.exec('(setsid sleep 1000 &); sleep 1000', { timeout: 300 });
await sandbox.exportDirectory('/workspace', home + '/export');
const server = "require('net').createServer((socket) => socket.once('data', (data) => socket.end('got ' + data, () => process.exit(4)))).listen(5000)";
const exposed = { socket: home + '/exposed.sock' };
const treeOptions = { root: home + '/tree', mounts: ['/usr'].map((path) => ({ kind: 'read-only', source: path, target: path })).concat({ kind: 'read-only', source: process.execPath, target: '/opt/node' }) };
const inner = await provider.create(treeOptions);
const run = inner.exec('', { argv: ['/opt/node', '-e', server], expose: [{ port: 5000, socket: exposed.socket }] });
while (!(await inner.listens(5000))) await new Promise((resolve) => setTimeout(resolve, 20));
const usage = await inner.usage();
exposed.answer = await new Promise((resolve) => connect(exposed.socket).once('data', (data) => resolve(String(data))).write('it'));
exposed.exitCode = (await run).exitCode;
exposed.left = existsSync(exposed.socket);
exposed.processes = usage.processes;
exposed.exact = usage.exact;
exposed.memory = usage.memoryBytes > 5e6 && usage.memoryUsageBytes > usage.memoryBytes;
exposed.written = (await inner.exec('for f in /x /etc/x /etc/passwd /srv/file /workspace/x; do (echo x > $f) 2>/dev/null && echo $f; done; cat /srv/file')).stdout;
const asRoot = await provider.create({ ...treeOptions, user: 'root' });
exposed.writtenByRoot = (await asRoot.exec('for f in /usr/x /etc/x /etc/passwd /srv/file; do (echo x > $f) 2>/dev/null && echo $f; done; mv /etc /e 2>/dev/null && echo moved')).stdout;
await asRoot.destroy();
exposed.tree = readdirSync(home + '/tree');
delete exposed.socket;
await inner.destroy();
await sandbox.destroy();
const shared = [];
const shown = { mounts: ['plain', 'over'].map((name) => ({ kind: 'read-only', source: home + '/' + name, target: '/opt/' + name })) };
for (const { hold, look } of ATTACKS) {
  const [one, two] = [await provider.create(shown), await provider.create(shown)];
  const perl = (where, script) => where.exec('', { argv: ['/usr/bin/perl', '-e', script] });
  const holding = perl(one, hold);
  let ended = false;
  holding.then(() => { ended = true; });
  while (!ended && (await one.exec('test -e held')).exitCode !== 0);
  shared.push((await perl(two, look)).stdout);
  await one.writeFile('stop', '');
  await holding;
  await Promise.all([one.destroy(), two.destroy()]);
}
console.log(JSON.stringify({ report, name: provider.name, limits: provider.limits, sandboxOwner, exposed, shared, stdout: seen.stdout,
  layer: readFileSync(home + '/layer/file', 'utf8'), exported: readFileSync(home + '/export/file', 'utf8'), entries: readdirSync(home + '/export').toSorted() }));
`;

/** The sources and Node where every user can read them: a checkout of root's need not be. */
function readableCopy(home: string): { index: string; node: string } {
  const packages = join(import.meta.dirname, '../../../..');
  mkdirSync(join(home, 'node_modules/@assay'), { recursive: true });
  for (const name of ['protocol', 'sandbox']) {
    for (const part of ['package.json', 'src'])
      cpSync(join(packages, name, part), join(home, 'packages', name, part), { recursive: true });
    symlinkSync(`../../packages/${name}`, join(home, 'node_modules/@assay', name));
  }
  cpSync(join(packages, '../node_modules/zod'), join(home, 'node_modules/zod'), { recursive: true });
  const node = join(home, 'node');
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  return { index: join(home, 'packages/sandbox/src/index.ts'), node };
}

test(
  'bubblewrap works without root where the kernel allows it, and says so where not',
  { skip: process.getuid?.() === 0 ? false : 'the suite runs without root already' },
  async (context) => {
    const home = mkdtempSync(join(tmpdir(), 'assay-rootless-'));
    chownSync(home, SOMEBODY, SOMEBODY);
    const { index, node } = readableCopy(home);
    // A directory, and another one in which something is mounted.
    for (const name of ['plain', 'over', 'over/mounted']) mkdirSync(join(home, name));
    for (const name of ['plain', 'over']) writeFileSync(join(home, name, 'file'), 'x', { mode: 0o644 });
    const withMount = ['unshare', '--mount', '--', '/bin/sh', '-c', 'mount -t tmpfs tmpfs "$0" && exec "$@"'];
    const as = ['setpriv', '--reuid', String(SOMEBODY), '--regid', String(SOMEBODY), '--clear-groups', '--'];
    try {
      const script = SCRIPT.replace('INDEX', () => JSON.stringify(index)).replace('ATTACKS', () =>
        JSON.stringify(ATTACKS),
      );
      writeFileSync(join(home, 'run.mjs'), script, { mode: 0o644 });
      const result = await runCommand([...withMount, join(home, 'over/mounted'), ...as, node, join(home, 'run.mjs')], {
        env: { HOME: home, PATH: process.env['PATH'] ?? '' },
      });
      assert.equal(result.exitCode, 0, String(result.stderr));
      const { report, ...found } = JSON.parse(String(result.stdout));
      if (!report.available) {
        assert.match(report.problems.join(), /user namespace|not permitted|denied/i);
        return context.diagnostic(`this kernel does not allow it: ${report.problems.join()}`);
      }
      assert.deepEqual(found, {
        name: 'bubblewrap',
        limits: 'partial',
        exposed: {
          answer: 'got it',
          exitCode: 4,
          left: false,
          processes: 1,
          exact: false,
          memory: true,
          written: '/workspace/x\nserved',
          writtenByRoot: '/srv/file\n',
          tree: ['bin', 'lib', 'lib64', 'srv'],
        },
        sandboxOwner: null,
        // The same user, the same inode, and an inode for each sandbox.
        shared: ['taken', 'taken', 'free'],
        layer: 'layer',
        exported: 'changed\n',
        entries: ['closed', 'dir', 'file'],
        stdout: '1000\nuser\ndir file\ndir/*\n0000000000000000\n0\n',
      });
      assert.equal(readFileSync(join(home, 'layer/file'), 'utf8'), 'layer');
    } finally {
      rmSync(home, { recursive: true, force: true });
      rmSync(join(tmpdir(), `assay-${SOMEBODY}`), { recursive: true, force: true });
    }
  },
);
