/** One regular file in its new state. A change holds only these and deletions. */
export interface FileChange {
  /** Relative to the repository, POSIX slashes, valid UTF-8, no `.`, `..` or `.git` component. */
  path: string;
  content: Buffer;
  executable: boolean;
}

/**
 * A change by content: what a reference solution, a hidden test part and a submission are made of. No patch, so nothing
 * can fail to apply, and no git has to run where an agent could write.
 */
export interface ChangeSet {
  files: FileChange[];
  /** Paths to delete. */
  deleted: string[];
}
