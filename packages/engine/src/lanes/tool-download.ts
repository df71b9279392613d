import { AssayError } from '@assay/protocol';

export interface ToolDownloadOptions {
  /** Where layers and artefacts are kept. Default: Assay's cache directory. */
  cacheDirectory?: string;
  signal?: AbortSignal;
}

/**
 * The newest version of an npm package within `versionRange`, unpacked as `<targetDirectory>/package`, from the machine's own
 * registry, integrity-checked. Resolves to that directory. Done once: an existing one is kept; parallel callers wait.
 */
export async function fetchNpmPackage(name: string, versionRange: string, targetDirectory: string, options: ToolDownloadOptions = {}): Promise<string> {
  throw new AssayError('LANE_FAILED', { lane: 'npm', detail: `not built yet ${name} ${versionRange} ${targetDirectory} ${String(options.signal)}` });
}

/** The executable `name` of the newest wheel of the PyPI project `name` for this machine, hash-checked. Resolves to its path. */
export async function fetchPythonTool(name: string, targetDirectory: string, options: ToolDownloadOptions = {}): Promise<string> {
  throw new AssayError('LANE_FAILED', { lane: 'pypi', detail: `not built yet ${name} ${targetDirectory} ${String(options.signal)}` });
}
