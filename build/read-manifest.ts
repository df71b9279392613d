import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that the build reads; the others are carried over as they are. */
export interface Manifest {
  name: string;
  exports: Record<string, string>;
  bin: Record<string, string>;
  /** Paths beside `src/` that belong to the package. */
  files: readonly string[];
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  [field: string]: unknown;
}

/** Throws a `TypeError` that says what is wrong with the file. */
export function readManifest(packageDirectory: string): Manifest {
  const path = join(packageDirectory, 'package.json');
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isRecord(parsed) || typeof parsed['name'] !== 'string') throw new TypeError(`${path} has no name`);
  const texts = (field: string): Record<string, string> => {
    const value = parsed[field] ?? {};
    if (!isRecord(value)) throw new TypeError(`${path}: ${field} is no object`);
    return Object.fromEntries(
      Object.entries(value).map(([key, text]) => {
        if (typeof text !== 'string') throw new TypeError(`${path}: ${field}.${key} is no text`);
        return [key, text];
      }),
    );
  };
  const files = parsed['files'] ?? [];
  if (!Array.isArray(files)) throw new TypeError(`${path}: files is no list`);
  return {
    ...parsed,
    name: parsed['name'],
    exports: texts('exports'),
    bin: texts('bin'),
    files: files.map(String),
    dependencies: texts('dependencies'),
    devDependencies: texts('devDependencies'),
    peerDependencies: texts('peerDependencies'),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
