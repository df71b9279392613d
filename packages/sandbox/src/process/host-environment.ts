/**
 * The environment of our own helpers on the host. Nothing but PATH: what a user exports (LD_PRELOAD, MOUNT_OPTIONS…)
 * must not steer a helper that runs as root, and it would show in `/proc/1/environ` of the sandbox.
 */
export function hostEnvironment(): Record<string, string> {
  const extra = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];
  const given = (process.env['PATH'] ?? '').split(':').filter((part) => part.startsWith('/'));
  return { PATH: [...new Set([...given, ...extra])].join(':') };
}
