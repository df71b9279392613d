import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestEntries, sha256 } from '@assay/files/content-digest';

/** Not part of what runs: tests, what tests use, and declarations. */
const NO_PART = /(\.(test|fixture|d)\.\w+$|-(conformance|scenarios|test-home)\.\w+$|(^|\/)(testing|__fixtures__)\/)/;

const known = new Map<string, Promise<string>>();

/**
 * `sha256:<hex>` over the code that judges: every file of this package and of those it stands on that is not for tests,
 * and of `further`, which has a package's sources by its name.
 */
export function verifierDigest(further: Readonly<Record<string, string>> = {}): Promise<string> {
  const key = JSON.stringify(further);
  const digest = known.get(key) ?? computeDigest(further);
  known.set(key, digest);
  return digest;
}

const sourcesOf = (name: string): string => dirname(fileURLToPath(import.meta.resolve(name)));

async function computeDigest(further: Readonly<Record<string, string>>): Promise<string> {
  const packages = {
    ...further,
    judging: join(import.meta.dirname, '..'),
    lanes: sourcesOf('@assay/lanes'),
    files: sourcesOf('@assay/files'),
    sandbox: sourcesOf('@assay/sandbox'),
    protocol: sourcesOf('@assay/protocol'),
  };
  const entries = await Promise.all(
    Object.entries(packages).map(([name, directory]) => digestPackage(name, directory)),
  );
  return digestEntries(entries.flat());
}

async function digestPackage(name: string, directory: string): Promise<(readonly [string, string])[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  const shipped = paths.filter((path) => !NO_PART.test(path) && !path.includes('__pycache__'));
  return Promise.all(
    shipped.map(async (path) => [`${name}/${path}`, sha256(await readFile(join(directory, path)))] as const),
  );
}
