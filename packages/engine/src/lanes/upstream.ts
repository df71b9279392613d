/** Where a package manager of this machine gets its packages. */
export interface Upstream {
  /** Base address without credentials, ending in a slash. */
  url: URL;
  /** Value of the Authorization header for the index's own origin. */
  authorization?: string;
  /** PEM texts of all certificate authorities to trust; empty means those that Node knows. */
  certificates: string[];
}
