/** A user and a group of the host. */
export interface Owner {
  uid: number;
  gid: number;
}

/**
 * When root runs Assay, this user of the host owns the files that sandboxes may change. Directories below a writable
 * layer must belong to it; it owns nothing else on the machine. Each sandbox runs as a user of its own, to which these
 * files appear as its own. `null` when rootless: then files belong to the caller.
 */
export const sandboxOwner: Owner | null = process.getuid?.() === 0 ? { uid: 64_321, gid: 64_321 } : null;
