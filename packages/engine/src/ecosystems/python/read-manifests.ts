import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { listTree, readTreeText } from '../tree-files.ts';
import { parseIni, type Ini } from './parse-ini.ts';

const Strings = z.array(z.string()).catch([]);
const OptionalString = z.string().optional().catch(undefined);

/**
 * The members of pyproject.toml that Assay reads. A value of another shape counts as absent: it is the build's job to
 * complain about a broken manifest.
 */
const Pyproject = z.object({
  project: z
    .object({
      name: OptionalString,
      version: OptionalString,
      license: z
        .union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)])
        .optional()
        .catch(undefined),
      'requires-python': OptionalString,
      classifiers: Strings,
      dependencies: Strings,
      'optional-dependencies': z.record(z.string(), Strings).catch({}),
    })
    .partial()
    .optional()
    .catch(undefined),
  'dependency-groups': z.record(z.string(), z.array(z.unknown()).catch([])).optional().catch(undefined),
  'build-system': z
    .object({ 'build-backend': OptionalString, requires: Strings })
    .partial()
    .optional()
    .catch(undefined),
  tool: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
export type Pyproject = z.infer<typeof Pyproject>;

/** The manifests of a tree, as far as they exist. `setup.py` stays text: no code of the tree runs on the host. */
export interface PythonManifests {
  pyproject: Pyproject;
  setupCfg: Ini;
  tox: Ini;
  setupPy: string;
  /** Names of the entries at the root. */
  root: string[];
}

/** Reads the manifests of a tree. Never throws for a missing or broken one. */
export async function readManifests(tree: string): Promise<PythonManifests> {
  const [pyproject = '', setupCfg = '', tox = '', setupPy = ''] = await Promise.all(
    ['pyproject.toml', 'setup.cfg', 'tox.ini', 'setup.py'].map(async (path) => (await readTreeText(tree, path)) ?? ''),
  );
  const root = (await listTree(tree, '.')).map(({ name }) => name);
  return { pyproject: readPyproject(pyproject), setupCfg: parseIni(setupCfg), tox: parseIni(tox), setupPy, root };
}

/** Returns a member of `[tool.<name>]` if it is a table, else an empty one. */
export function toolTable(pyproject: Pyproject, ...names: string[]): Record<string, unknown> {
  let value: unknown = pyproject.tool;
  for (const name of names) value = isTable(value) ? value[name] : undefined;
  return isTable(value) ? value : {};
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readPyproject(text: string): Pyproject {
  try {
    return Pyproject.parse(parseToml(text));
  } catch {
    return {};
  }
}
