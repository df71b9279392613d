import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SandboxProvider } from '../contract.ts';
import { bubblewrapProvider } from '../providers/bubblewrap/bubblewrap-provider.ts';
import { runcProvider } from '../providers/oci/oci-provider.ts';
import { runCommand } from '../process/run-command.ts';
import { compileFilter } from './compile-filter.ts';
import { ociSeccomp } from './oci-seccomp.ts';
import { ARCHITECTURES, SECCOMP_RULES } from './seccomp-rules.ts';

const EPERM = 1;
const EAFNOSUPPORT = 97;
const ENOSYS = 38;

/** Calls as C arguments of syscall(2), with the errno that they must fail with; 0 is success. */
const CALLS: Array<{ call: string; errno: number }> = [
  { call: 'SYS_io_uring_setup, 1, 0', errno: EPERM },
  { call: 'SYS_io_setup, 1, 0', errno: ENOSYS },
  { call: 'SYS_bpf, 0, 0, 0', errno: EPERM },
  { call: 'SYS_perf_event_open, 0, 0, -1, -1, 0', errno: EPERM },
  { call: 'SYS_userfaultfd, 0', errno: EPERM },
  { call: 'SYS_keyctl, 0, -3, 0', errno: EPERM },
  { call: 'SYS_unshare, 0x10000000', errno: EPERM },
  { call: 'SYS_setns, 0, 0', errno: EPERM },
  { call: 'SYS_mount, "x", "/tmp", "tmpfs", 0, 0', errno: EPERM },
  { call: 'SYS_fsopen, "tmpfs", 0', errno: EPERM },
  { call: 'SYS_name_to_handle_at, -100, "/tmp", 0, 0, 0', errno: EPERM },
  { call: 'SYS_clone, 0x10000000 | 17, 0, 0, 0, 0', errno: EPERM },
  { call: 'SYS_clone, 0x40000000 | 17, 0, 0, 0, 0', errno: EPERM },
  { call: 'SYS_clone3, 0, 0', errno: ENOSYS },
  { call: 'SYS_socket, 1, 1, 0', errno: 0 },
  { call: 'SYS_socket, 2, 1, 0', errno: 0 },
  { call: 'SYS_socket, 16, 3, 0', errno: 0 },
  { call: 'SYS_socket, 16, 3, 9', errno: EAFNOSUPPORT },
  { call: 'SYS_socket, 17, 3, 0', errno: EAFNOSUPPORT },
  { call: 'SYS_socket, 38, 5, 0', errno: EAFNOSUPPORT },
  { call: 'SYS_socket, 40, 1, 0', errno: EAFNOSUPPORT },
  { call: 'SYS_personality, 0xffffffff', errno: 0 },
  { call: 'SYS_personality, 0x0400000', errno: EPERM },
  { call: 'SYS_ioctl, 0, 0x5412, "x"', errno: EPERM },
];

function program(calls: string[]): string {
  const lines = calls.map((call) => `errno = 0; printf("%d\\n", syscall(${call}) == -1 ? errno : 0);`);
  return `#define _GNU_SOURCE\n#include <stdio.h>\n#include <errno.h>\n#include <unistd.h>\n#include <sys/syscall.h>\nint main(void) { ${lines.join('\n')} return 0; }\n`;
}

/** The errno of each call inside, 0 for success. */
async function errnos(provider: SandboxProvider, calls: string[], unsealed: boolean): Promise<number[]> {
  const sandbox = await provider.create(unsealed ? { unsealed: ['privileges'] } : {});
  try {
    await sandbox.writeFile('calls.c', program(calls));
    const result = await sandbox.exec('gcc -w calls.c -o calls && ./calls');
    assert.equal(result.exitCode, 0, result.stderr);
    return result.stdout.trim().split('\n').map(Number);
  } finally {
    await sandbox.destroy();
  }
}

const compiler = await runCommand(['gcc', '--version']).then(
  () => true,
  () => false,
);
const skip = compiler ? false : 'there is no gcc here';

describe('the seccomp filter', () => {
  test('is whole for both architectures', () => {
    for (const { name } of ARCHITECTURES) {
      const filter = compileFilter(name);
      assert.ok(filter && filter.length % 8 === 0 && filter.length / 8 <= 4096);
      assert.ok(ociSeccomp(name));
    }
    assert.equal(compileFilter('mips'), null);
    const numbers = (name: 'x64' | 'arm64'): string[] => SECCOMP_RULES.map((rule) => `${rule.name} ${rule[name]}`);
    for (const name of ['x64', 'arm64'] as const) {
      const byNumber = new Map(
        numbers(name)
          .filter((entry) => !entry.endsWith('undefined'))
          .map((entry) => [entry.split(' ')[1], entry.split(' ')[0]]),
      );
      assert.equal(byNumber.size, new Set(byNumber.values()).size, 'each name has one number of its own');
    }
  });

  test('every jump of the program stays inside it', () => {
    const filter = compileFilter('x64') ?? assert.fail();
    for (let at = 0; at < filter.length; at += 8) {
      const isJump = (filter.readUInt16LE(at) & 0x07) === 0x05;
      if (isJump)
        assert.ok(at / 8 + 1 + Math.max(filter.readUInt8(at + 2), filter.readUInt8(at + 3)) < filter.length / 8);
    }
  });

  for (const [name, make] of Object.entries({ bubblewrap: bubblewrapProvider, runc: runcProvider })) {
    const noRoot = name === 'runc' && process.getuid?.() !== 0 ? 'runc needs root' : skip;
    test(`denies what it says and nothing else: ${name}`, { skip: noRoot }, async () => {
      const found = await errnos(
        make(),
        CALLS.map(({ call }) => call),
        false,
      );
      assert.deepEqual(
        CALLS.map(({ call }, index) => ({ call, errno: found[index] })),
        CALLS,
      );
    });

    test(`is off with the seal \`privileges\` (control): ${name}`, { skip: noRoot }, async () => {
      const found = await errnos(
        make(),
        ['SYS_unshare, 0x04000000', 'SYS_mount, "x", "/tmp", "tmpfs", 0, 0', 'SYS_personality, 0x0400000'],
        true,
      );
      assert.deepEqual(found, [0, 0, 0]);
    });
  }

  test('calls that no kernel has yet do not exist', { skip }, async () => {
    assert.deepEqual(await errnos(bubblewrapProvider(), ['470', '600'], false), [ENOSYS, ENOSYS]);
  });

  test('another ABI is killed', { skip: process.arch === 'x64' ? skip : 'x32 is an ABI of x64' }, async () => {
    const sandbox = await bubblewrapProvider().create();
    try {
      await sandbox.writeFile('calls.c', program(['0x40000000 | SYS_getpid']));
      assert.equal((await sandbox.exec('gcc -w calls.c -o calls && ./calls')).exitCode, 128 + 31);
    } finally {
      await sandbox.destroy();
    }
  });
});
