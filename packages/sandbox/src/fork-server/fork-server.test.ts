import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { attack, INSTANCES } from '../../../testkit/src/conformance/shared-kernel-attacks.ts';
import type { ExecResult, ForkServer, SandboxOptions } from '../contract.ts';
import { findHostPython } from '../languages/python/find-python.ts';
import { bubblewrapProvider } from '../providers/bubblewrap/bubblewrap-provider.ts';
import { runcProvider } from '../providers/oci/oci-provider.ts';
import { usersDirectory } from '../runtime/sandbox-user.ts';

const root = process.getuid?.() === 0;
const provider = bubblewrapProvider();
const open = (options: SandboxOptions, modules: string[]): Promise<ForkServer | null> =>
  provider.openForkServer?.(options, { python: program, modules }) ?? assert.fail();

/** Python that prints all that a process can see of itself, as one JSON document. */
const LOOK = `
import json, os, resource, sys
def is_own(name):
    try:
        return os.readlink('/proc/self/ns/' + name) == os.readlink('/proc/1/ns/' + name)
    except PermissionError:
        return True  # Process 1 lets nobody look, but where a copy has to join it.
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
wanted = ('Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp', 'Seccomp_filters', 'SigIgn', 'SigBlk', 'SigCgt', 'Umask', 'Threads', 'TracerPid')
print(json.dumps({
    'status': {name: status[name].strip() for name in wanted},
    'own': os.stat('/proc/self').st_uid,
    'namespaces': {name: is_own(name) for name in sorted(os.listdir('/proc/self/ns'))},
    'control groups': open('/proc/self/cgroup').read(), 'mounts': [line.split(' - ')[0].split()[3:6] for line in open('/proc/self/mountinfo')],
    'limits': [resource.getrlimit(number) for number in range(16)], 'oom': open('/proc/self/oom_score_adj').read(), 'host name': os.uname().nodename,
    'networks': os.listdir('/sys/class/net') if os.path.exists('/sys/class/net') else open('/proc/net/dev').read().count(':'),
    'root': sorted(os.listdir('/')), 'temporary': os.listdir('/tmp'), 'descriptors': [name for name in ('0', '1', '2', '3', '4', '5', '6') if os.path.exists('/proc/self/fd/' + name)],
    'leads': [os.getpid() == os.getsid(0), os.getpid() == os.getpgrp()], 'environment': sorted(os.environ.items()), 'directory': os.getcwd(),
    'argv': [sys.argv, sys.orig_argv, sys.executable, sys.prefix, str(sys.flags), sys.path], 'module': [__name__, __file__, __spec__, __package__, sorted(globals())],
    'main': sys.modules['__main__'].__dict__ is globals(), 'streams': [stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)], 'input': sys.stdin.read(),
}))
`;

let program: string;
let base: SandboxOptions;
let directory: string;
let server: ForkServer;

before(async () => {
  const python = await findHostPython('test');
  program = python.program;
  directory = await mkdtemp(join(tmpdir(), 'assay-fork-'));
  await chmod(directory, 0o755);
  // A module that says what can be seen where it is imported: the control of what a copy must not see.
  await writeFile(
    join(directory, 'sees.py'),
    "import os\nseen = [os.path.exists('/proc/1/root'), os.getpid(), sum(name.isdigit() for name in os.listdir('/proc'))]\nraise ImportError(repr(seen))\n",
  );
  base = {
    ...python.sandbox,
    mounts: [...(python.sandbox.mounts ?? []), { kind: 'read-only', source: directory, target: '/opt/modules' }],
    env: { ...python.sandbox.env, PYTHONPATH: '/opt/modules' },
  };
  if (root)
    server =
      (await open(base, ['json', 'sqlite3', 'http.server', 'sees', 'no_such_module'])) ?? assert.fail('no server');
});
after(async () => {
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

interface Run {
  options?: Partial<SandboxOptions>;
  files?: Record<string, string>;
  copied?: boolean;
  of?: ForkServer;
  timeout?: number;
  signal?: AbortSignal;
}

/** Runs a script, copied or as a process of its own. */
async function run(
  script: string,
  { options = {}, files = {}, copied = true, of = server, timeout = 20_000, signal }: Run = {},
): Promise<ExecResult> {
  const sandbox = await provider.create({ ...base, cwd: '/workspace', copiesOf: copied ? of : undefined, ...options });
  try {
    for (const [path, text] of Object.entries({ 'app.py': script, ...files })) await sandbox.writeFile(path, text);
    return await sandbox.exec(`${program} app.py one two`, {
      timeout,
      signal,
      ...(copied ? { copy: { of, script: 'app.py', args: ['one', 'two'] } } : {}),
    });
  } finally {
    await sandbox.destroy();
  }
}

/** Whether the script's process came with its modules imported. */
const COPIED = "'http.server' in __import__('sys').modules";

describe('copies of a fork server', { skip: root ? false : 'rootless there are none' }, () => {
  for (const user of ['user', 'root'] as const) {
    test(`are like a process that was started in the sandbox of ${user}`, async () => {
      const [started, copied] = await Promise.all(
        [false, true].map((each) =>
          run(`${LOOK}\nprint(${COPIED}, file=sys.stderr)`, { copied: each, options: { user } }),
        ),
      );
      assert.deepEqual([started?.stderr, copied?.stderr], ['False\n', 'True\n']);
      const [expected, seen] = [started, copied].map(
        (result) => JSON.parse(result?.stdout ?? '') as { argv: unknown[] },
      );
      // By what name the interpreter was called.
      expected?.argv.splice(1, 1, ['python3', 'app.py', 'one', 'two']);
      assert.deepEqual(seen, expected);
    });
  }

  test('modules that cannot be imported are named, and left out', () => {
    assert.deepEqual(Object.keys(server.failures), ['sees', 'no_such_module']);
  });

  const ends: Record<string, [string, number]> = {
    'by itself': ['print(1)', 0],
    'with a code': ['import sys; sys.exit(7)', 7],
    'with a text': ["raise SystemExit('no')", 1],
    'with an error': ['def f():\n  return 1 / 0\nf()', 1],
    'as a text that is no program': ['def (', 1],
    'at once': ['import os; os._exit(9)', 9],
    'by a signal': ['import os; os.kill(os.getpid(), 15)', 143],
    'by the worst': ['import os; os.kill(os.getpid(), 9)', 137],
    'after its threads': [
      "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print('last'))).start()",
      0,
    ],
    'after what it asked for': ["import atexit; atexit.register(print, 'bye')", 0],
  };
  for (const [how, [script, exitCode]] of Object.entries(ends)) {
    test(`end ${how} as a process does`, async () => {
      const [started, copied] = await Promise.all([false, true].map((each) => run(script, { copied: each })));
      // A shell says of what signal its child died.
      const seen = (result?: ExecResult): unknown => ({
        exitCode: result?.exitCode,
        stdout: result?.stdout,
        stderr: result?.stderr.replace(/^(Terminated|Killed)\n$/, ''),
      });
      assert.equal(copied?.exitCode, exitCode);
      assert.deepEqual(seen(copied), seen(started));
    });
  }

  test('what lies beside the script wins over what is imported already: a new process', async () => {
    const files = { 'sqlite3.py': 'mine = True' };
    assert.equal((await run(`import sqlite3\nprint(sqlite3.mine, ${COPIED})`, { files })).stdout, 'True False\n');
    assert.equal(
      (await run(`import other\nprint(other.mine, ${COPIED})`, { files: { 'other.py': 'mine = True' } })).stdout,
      'True True\n',
      'control',
    );
  });

  test('limits hold for them', async () => {
    const memory = await run('held = bytearray(400 << 20)\nprint(len(held))', {
      options: { limits: { memoryBytes: 128 << 20 } },
    });
    assert.deepEqual([memory.exitCode, memory.outOfMemory], [137, true]);
    const processes = await run(
      'import os\nmade = 0\ntry:\n  while made < 500:\n    if os.fork() == 0:\n      import time; time.sleep(30); os._exit(0)\n    made += 1\nexcept OSError: pass\nprint(made)',
      { options: { limits: { pids: 40 } } },
    );
    assert.ok(Number(processes.stdout) > 0 && Number(processes.stdout) < 40, processes.stdout);
    const control = await run('held = bytearray(400 << 20)\nprint(len(held))');
    assert.equal(control.exitCode, 0);
  });

  test('time and the caller end them, with all that they started', async () => {
    const daemon =
      'import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0: time.sleep(600)\n  os._exit(0)\n';
    const name = `assay-copy-${process.pid}`;
    const mark = `import ctypes\nctypes.CDLL(None).prctl(15, b'${name.slice(-15)}')\n`;
    const alive = (): number =>
      readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid) === name.slice(-15)).length;
    assert.equal((await run(`${mark}${daemon}`)).exitCode, 0);
    assert.equal((await run(`${mark}${daemon}time.sleep(600)`, { timeout: 1500 })).exitCode, 124);
    const abort = new AbortController();
    const running = run(`${mark}${daemon}time.sleep(600)`, { signal: abort.signal });
    while (alive() < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    abort.abort();
    await assert.rejects(running, { code: 'INTERRUPTED' });
    assert.equal(alive(), 0);
  });

  test('several at once know nothing of each other', async () => {
    const script =
      "import os, sqlite3\nsqlite3.mark = getattr(sqlite3, 'mark', 0) + 1\nopen('/tmp/mark', 'a').write('x')\nprint(sqlite3.mark, os.path.getsize('/tmp/mark'), len(os.listdir('/proc/self/fd')))";
    const results = await Promise.all(Array.from({ length: 6 }, () => run(script)));
    assert.deepEqual(new Set(results.map(({ stdout }) => stdout)), new Set(['1 1 4\n']));
  });

  test('attack: nothing of the host and of the server is in reach', async () => {
    const seen = JSON.parse(
      (/\[.*\]/.exec(server.failures['sees'] ?? '')?.[0] ?? 'null').replace('True', 'true').replace('False', 'false'),
    ) as [boolean, number, number] | null;
    assert.ok(
      seen && seen[1] > 100 && seen[2] > 10,
      `control: the server is a process among those of the host: ${server.failures['sees']}`,
    );
    const attack = await run(
      `
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
reached = []
def attempt(name, what):
    try: result = what()
    except Exception: return
    if result: reached.append([name, str(result)[:200]])
def called(result): return result == 0
pids = [int(name) for name in os.listdir('/proc') if name.isdigit()]
attempt('processes', lambda: len(pids) > 5 and pids)
for pid in pids:
    if pid == os.getpid(): continue
    attempt('somebody with privileges', lambda: [line for line in open(f'/proc/{pid}/status') if line.startswith(('CapPrm', 'CapBnd')) and int(line.split()[1], 16)])
    attempt('root', lambda: sorted(os.listdir(f'/proc/{pid}/root')) != sorted(os.listdir('/')))
    attempt('descriptors', lambda: [os.readlink(f'/proc/{pid}/fd/{name}') for name in os.listdir(f'/proc/{pid}/fd') if not os.readlink(f'/proc/{pid}/fd/{name}').endswith(('.out', '.err', '.in', 'null')) and 'fd' not in os.readlink(f'/proc/{pid}/fd/{name}')])
for number in range(3, 1024):
    attempt('descriptor', lambda: os.fstat(number) and number)
attempt('mount', lambda: called(libc.mount(b'none', b'/tmp', b'tmpfs', 0, 0)))
attempt('namespace', lambda: called(libc.unshare(0x10000000)))
attempt('join', lambda: called(libc.setns(os.open('/proc/1/ns/mnt', 0), 0)))
attempt('host name', lambda: called(libc.sethostname(b'x', 1)))
attempt('chroot', lambda: called(libc.chroot(b'/tmp')))
attempt('setuid', lambda: called(libc.setuid(1)))
attempt('limits', lambda: open('/sys/fs/cgroup/memory/memory.limit_in_bytes').read())
attempt('host', lambda: [name for name in ('${directory}', '/root/.cache', '/run/assay') if os.path.exists(name)])
attempt('program', lambda: open('/opt/fork-server/fork-server.py').read())
attempt('own program', lambda: open('/proc/self/exe', 'r+b'))
attempt('network', lambda: open('/proc/net/dev').read().count(':') > 1)
for name in open('/proc/net/unix').read().splitlines()[1:]:
    attempt('socket', lambda: name)
print(reached)
`,
      { options: { user: 'root' } },
    );
    assert.equal(attack.stdout, '[]\n', attack.stderr);
  });

  test('a server that was killed, or closed, costs nothing but time', async () => {
    const other = (await open(base, ['http.server'])) ?? assert.fail();
    const script = `print(${COPIED})`;
    assert.equal((await run(script, { of: other })).stdout, 'True\n');
    const [first = 0] = readdirSync('/proc')
      .filter(
        (pid) =>
          /^\d+$/.test(pid) && argvOf(pid).includes('/opt/fork-server/fork-server.py') && childOf(pid, process.pid),
      )
      .map(Number)
      .toSorted((a, b) => b - a);
    process.kill(first, 'SIGKILL');
    assert.equal((await run(script, { of: other })).stdout, 'False\n');
    assert.equal(other.alive, false);
    await other.close();
    await other.close();
    assert.equal((await run(script, { of: other })).stdout, 'False\n');
  });

  test('a server and the sandboxes of its copies are one user, who has what the kernel counts only once', async () => {
    const options = { ...base, copiesOf: server };
    assert.deepEqual(await attack(provider, options, INSTANCES), { neighbour: 'taken', same: 'taken' });
    assert.deepEqual(await attack(provider, base, INSTANCES), { neighbour: 'free', same: 'taken' }, 'control');
  });

  test('code in a copy may trace process 1, which tells the exit code', async () => {
    const script = 'import ctypes\nprint(ctypes.CDLL(None).ptrace(0x4206, 1, 0, 0))';
    assert.deepEqual([(await run(script)).stdout, (await run(script, { copied: false })).stdout], ['0\n', '-1\n']);
  });

  test('a sandbox for copies that was given up on its way leaves the user to the server', async () => {
    const abort = new AbortController();
    const given = provider.create({ ...base, copiesOf: server, signal: abort.signal });
    abort.abort();
    await assert.rejects(given, { code: 'INTERRUPTED' });
    const sandbox = await provider.create({ ...base, copiesOf: server });
    const uid = sandbox.hostOwner?.uid;
    await sandbox.destroy();
    assert.ok(existsSync(join(usersDirectory(), String(uid))), 'the server still runs as it');
  });

  test('a module that starts a thread makes no server: copies would lack it', async () => {
    await writeFile(
      join(directory, 'threads.py'),
      'import threading, time\nthreading.Thread(target=time.sleep, args=(5,), daemon=True).start()\n',
    );
    await assert.rejects(open(base, ['threads']), /a module started a thread/);
  });

  test('other providers have none, and run the command', async () => {
    const runc = runcProvider();
    assert.equal(await runc.openForkServer?.(base, { python: program, modules: [] }), null);
    const sandbox = await runc.create(base);
    try {
      await sandbox.writeFile('app.py', `print(${COPIED})`);
      assert.equal(
        (await sandbox.exec(`${program} app.py`, { copy: { of: server, script: 'app.py' } })).stdout,
        'False\n',
      );
    } finally {
      await sandbox.destroy();
    }
  });
});

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};
const commandOf = (pid: string): string => read(`/proc/${pid}/comm`).trim();
const argvOf = (pid: string): string[] => read(`/proc/${pid}/cmdline`).split('\0');
const childOf = (pid: string, parent: number): boolean =>
  read(`/proc/${pid}/stat`)
    .replace(/^.*\) /, '')
    .split(' ')[1] === String(parent);
