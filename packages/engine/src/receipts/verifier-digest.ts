import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestEntries, sha256 } from '../files/content-digest.ts';

/** Not part of what runs: tests, and what tests use. */
const TEST_CODE = /(\.(test|fixture)\.\w+$|-(conformance|scenarios|test-home)\.\w+$|(^|\/)(testing|__fixtures__)\/)/;

const known = new Map<string, Promise<string>>();

/**
 * `sha256:<hex>` over the code that reaches verdicts: every file of the packages protocol, sandbox and engine that is not for tests, and of `further`,
 * which has a package's sources by its name.
 */
export function verifierDigest(further: Readonly<Record<string, string>> = {}): Promise<string> {
  const key = JSON.stringify(further);
  const digest = known.get(key) ?? computeDigest(further);
  known.set(key, digest);
  return digest;
}

async function computeDigest(further: Readonly<Record<string, string>>): Promise<string> {
  const packages = {
    ...further,
    engine: join(import.meta.dirname, '..'),
    sandbox: dirname(fileURLToPath(import.meta.resolve('@assay/sandbox'))),
    protocol: dirname(fileURLToPath(import.meta.resolve('@assay/protocol'))),
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
  const shipped = paths.filter((path) => !TEST_CODE.test(path) && !path.includes('__pycache__'));
  return Promise.all(
    shipped.map(async (path) => [`${name}/${path}`, sha256(await readFile(join(directory, path)))] as const),
  );
}
