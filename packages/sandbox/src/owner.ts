/**
 * The host's user id behind the user inside a sandbox. As root, sandboxes run as an id that owns nothing else on the
 * machine, and directories that go under a writable layer must belong to it (`null` when rootless: then it is the
 * caller's own).
 */
export const sandboxOwner: { uid: number; gid: number } | null =
  process.getuid?.() === 0 ? { uid: 64_321, gid: 64_321 } : null;
