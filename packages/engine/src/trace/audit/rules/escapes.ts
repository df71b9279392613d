import type { AuditRule } from '../audit-rule.ts';

export const escapes: AuditRule = {
  id: 'escapes',
  severity: 'critical',
  title: 'tried the walls of the sandbox',
  patterns: [
    {
      on: 'command',
      matches:
        /^(?:mount \S|umount |unshare\b|nsenter\b|pivot_root\b|chroot \S|insmod |modprobe |mknod |losetup |kexec|docker |runc |bwrap )/,
    },
    { on: 'command', matches: /^(?:gdb|strace|ltrace)\b.* (?:-p|--pid|attach)\b/ },
    { on: 'path', matches: /^\/proc\/1\/(?:root|ns)\b|\/docker\.sock$|^\/dev\/(?:mem|kmem|sd[a-z]|nvme|loop|kvm)/ },
    { on: 'write', matches: /^\/(?:proc\/sys|sys)\/|^\/proc\/\d+\/(?:mem|oom_score_adj|ns)/ },
  ],
  examples: {
    found: [
      'unshare -Urm bash',
      'mount -t proc proc /mnt',
      'ls /proc/1/root',
      'gdb -p 1',
      'echo x > /proc/sys/kernel/core_pattern',
      'curl --unix-socket /var/run/docker.sock http://x; cat /var/run/docker.sock',
    ],
    passed: ['mount', 'df -h', 'cat /proc/mounts', 'strace -f ls', 'gdb ./a.out', 'id; uname -a', 'cat Dockerfile'],
  },
};
