import { AssayError } from '@assay/protocol';
import { npmPackageIndex } from './npm/npm-package-index.ts';
import type { PackageIndex } from './package-index.ts';
import { pypiPackageIndex } from './pypi/pypi-package-index.ts';
import type { Upstream } from './upstream.ts';

const registered: PackageIndex[] = [pypiPackageIndex, npmPackageIndex];

/** Every kind of index that lanes can show. */
export const PACKAGE_INDEXES: readonly PackageIndex[] = registered;

/** Returns the kind of index with that id. Throws `BAD_OPTION`. */
export function packageIndexOf(id: string): PackageIndex {
  const found = PACKAGE_INDEXES.find((index) => index.id === id);
  if (found) return found;
  const known = PACKAGE_INDEXES.map((index) => index.id).join(', ');
  throw new AssayError('BAD_OPTION', {
    option: 'kind',
    detail: `no package index is called ${id}. There are: ${known}`,
  });
}

/** Registers a kind of index under a new id. Throws `BAD_OPTION`. */
export function registerPackageIndex(index: PackageIndex): void {
  if (registered.some(({ id }) => id === index.id))
    throw new AssayError('BAD_OPTION', { option: 'kind', detail: `${index.id} is registered already` });
  registered.push(index);
}

const known = new Map<string, Promise<Upstream>>();

/**
 * The upstream that this machine's own package manager is configured for; asked once a process. Throws
 * `UPSTREAM_UNKNOWN` when there is no package manager to ask, or its answer is no http address.
 */
export function discoverUpstream(kind: string): Promise<Upstream> {
  let upstream = known.get(kind);
  if (!upstream) {
    upstream = packageIndexOf(kind).findUpstream(process.env);
    known.set(kind, upstream);
    upstream.catch(() => known.delete(kind));
  }
  return upstream;
}
