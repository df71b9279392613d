import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that the build reads; the others are carried over as they are. */
export interface Manifest {
  name: string;
  exports: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  [field: string]: unknown;
}

/** Throws what is wrong with the file. */
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
  return {
    ...parsed,
    name: parsed['name'],
    exports: texts('exports'),
    dependencies: texts('dependencies'),
    devDependencies: texts('devDependencies'),
    peerDependencies: texts('peerDependencies'),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
