/** A processor architecture with the constants that a filter needs. */
export interface Architecture {
  /** As Node names it. */
  name: 'x64' | 'arm64';
  /** AUDIT_ARCH_… of the kernel. */
  audit: number;
  /** As OCI names it. */
  oci: string;
}

export const ARCHITECTURES: readonly Architecture[] = [
  { name: 'x64', audit: 0xc000_003e, oci: 'SCMP_ARCH_X86_64' },
  { name: 'arm64', audit: 0xc000_00b7, oci: 'SCMP_ARCH_AARCH64' },
];

/**
 * Holds when `argument & mask` equals `value`, or when the argument is above it, or differs. Arguments count from 0.
 */
export interface Condition {
  argument: number;
  is: 'equal' | 'not-equal' | 'above' | 'masked-equal';
  value: number;
  /** For `masked-equal` only. */
  mask?: number;
}

interface SystemCall {
  name: string;
  /** Its number for each architecture; absent where it does not exist. */
  x64?: number;
  arm64?: number;
}

/** A system call that fails with `errno` when all conditions hold. */
export interface SeccompRule extends SystemCall {
  errno: number;
  conditions?: Condition[];
}

export const EPERM = 1;
export const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/**
 * The newest system call that we know (Linux 6.17, the same on every architecture). What a later kernel adds is not
 * there.
 */
export const NEWEST_SYSCALL = 469;

const CLONE_NAMESPACES = {
  mount: 0x0002_0000,
  cgroup: 0x0200_0000,
  uts: 0x0400_0000,
  ipc: 0x0800_0000,
  user: 0x1000_0000,
  pid: 0x2000_0000,
  network: 0x4000_0000,
};
/** MMAP_PAGE_ZERO, ADDR_COMPAT_LAYOUT and READ_IMPLIES_EXEC: they undo the hardening of address spaces. */
const SOFTENING_PERSONALITIES = [0x0010_0000, 0x0020_0000, 0x0040_0000];
const ASKS_FOR_PERSONALITY = 0x8000_0000;
const AF_NETLINK = 16;
/** Below AF_NETLINK without AF_UNIX (1), AF_INET (2) and AF_INET6 (10). */
const UNWANTED_FAMILIES = [0, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15];
const CLONE: SystemCall = { name: 'clone', x64: 56, arm64: 220 };
const SOCKET: SystemCall = { name: 'socket', x64: 41, arm64: 198 };
const PERSONALITY: SystemCall = { name: 'personality', x64: 135, arm64: 92 };
const IOCTL: SystemCall = { name: 'ioctl', x64: 16, arm64: 29 };
const TERMINAL_INJECTIONS = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c };

/**
 * System calls that fail in every sandbox: large attack surfaces of the kernel that honest programs do without, ways to
 * new privileges and namespaces, and sockets outside of network namespaces (AF_VSOCK reaches the hypervisor).
 * Everything else is allowed.
 */
export const SECCOMP_RULES: readonly SeccompRule[] = [
  // glibc falls back to clone, whose flags a filter can see.
  { name: 'clone3', x64: 435, arm64: 435, errno: ENOSYS },
  denied('io_uring_setup', 425, 425),
  denied('io_uring_enter', 426, 426),
  denied('io_uring_register', 427, 427),
  // The kernel counts its contexts for the whole machine, and programs do without it.
  { name: 'io_setup', x64: 206, arm64: 0, errno: ENOSYS },
  denied('bpf', 321, 280),
  denied('perf_event_open', 298, 241),
  denied('userfaultfd', 323, 282),
  denied('fanotify_init', 300, 262),
  denied('keyctl', 250, 219),
  denied('add_key', 248, 217),
  denied('request_key', 249, 218),
  denied('kexec_load', 246, 104),
  denied('kexec_file_load', 320, 294),
  denied('init_module', 175, 105),
  denied('finit_module', 313, 273),
  denied('delete_module', 176, 106),
  denied('mount', 165, 40),
  denied('umount2', 166, 39),
  denied('pivot_root', 155, 41),
  denied('open_tree', 428, 428),
  denied('move_mount', 429, 429),
  denied('fsopen', 430, 430),
  denied('fsconfig', 431, 431),
  denied('fsmount', 432, 432),
  denied('fspick', 433, 433),
  denied('mount_setattr', 442, 442),
  denied('open_tree_attr', 467, 467),
  denied('setns', 308, 268),
  denied('unshare', 272, 97),
  denied('open_by_handle_at', 304, 265),
  denied('name_to_handle_at', 303, 264),
  denied('swapon', 167, 224),
  denied('swapoff', 168, 225),
  denied('reboot', 169, 142),
  denied('acct', 163, 89),
  denied('quotactl', 179, 60),
  denied('quotactl_fd', 443, 443),
  denied('syslog', 103, 116),
  denied('settimeofday', 164, 170),
  denied('clock_settime', 227, 112),
  denied('iopl', 172),
  denied('ioperm', 173),
  denied('uselib', 134),
  denied('_sysctl', 156),
  ...Object.values(CLONE_NAMESPACES).map((flag) =>
    when(CLONE, EPERM, { argument: 0, is: 'masked-equal', value: flag, mask: flag }),
  ),
  ...UNWANTED_FAMILIES.map((family) => when(SOCKET, EAFNOSUPPORT, { argument: 0, is: 'equal', value: family })),
  when(SOCKET, EAFNOSUPPORT, { argument: 0, is: 'above', value: AF_NETLINK }),
  when(
    SOCKET,
    EAFNOSUPPORT,
    { argument: 0, is: 'equal', value: AF_NETLINK },
    { argument: 2, is: 'not-equal', value: 0 },
  ),
  ...SOFTENING_PERSONALITIES.map((flag) =>
    when(PERSONALITY, EPERM, {
      argument: 0,
      is: 'masked-equal',
      value: flag,
      mask: (flag | ASKS_FOR_PERSONALITY) >>> 0,
    }),
  ),
  ...Object.values(TERMINAL_INJECTIONS).map((request) =>
    when(IOCTL, EPERM, { argument: 1, is: 'equal', value: request }),
  ),
];

function denied(name: string, x64: number, arm64?: number): SeccompRule {
  return { name, x64, arm64, errno: EPERM };
}

function when(call: SystemCall, errno: number, ...conditions: Condition[]): SeccompRule {
  return { ...call, errno, conditions };
}
