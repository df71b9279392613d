/**
 * Files of /proc that show what others on the machine do, exactly enough to carry messages: whose locks, keys, open
 * files and terminals there are. Coarser figures (load, memory, the processor's times) are left, as programs ask for
 * them.
 */
export const MASKED_PATHS: readonly string[] = [
  '/proc/locks',
  '/proc/keys',
  '/proc/key-users',
  '/proc/sys/fs/file-nr',
  '/proc/sys/kernel/pty/nr',
];
