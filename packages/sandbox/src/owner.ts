/** A user and a group of the host. */
export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The host's user who owns the files that sandboxes may change, when root runs Assay: directories that go under a
 * writable layer must belong to it. It owns nothing else on the machine. A sandbox runs as a user of its own, and sees
 * these files as its own. `null` when rootless: then files belong to the caller.
 */
export const sandboxOwner: Owner | null = process.getuid?.() === 0 ? { uid: 64_321, gid: 64_321 } : null;
