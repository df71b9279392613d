/** One regular file of a tree. Links, devices and sockets have no entry. */
export interface FileEntry {
  /** sha256 hex of the content. */
  sha256: string;
  executable: boolean;
  size: number;
}

/** Path (relative, POSIX slashes, as bytes decoded latin1 only when not UTF-8) to entry. */
export type TreeManifest = Map<string, FileEntry>;
