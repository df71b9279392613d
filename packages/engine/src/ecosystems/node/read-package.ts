import { z } from 'zod';
import { readTreeText } from '../tree-files.ts';

const Strings = z.record(z.string(), z.string()).catch({});

/** The members of package.json that Assay reads. A member of another shape counts as absent. */
export const PackageJson = z.object({
  name: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  license: z
    .union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)])
    .optional()
    .catch(undefined),
  scripts: Strings.default({}),
  dependencies: Strings.default({}),
  devDependencies: Strings.default({}),
  optionalDependencies: Strings.default({}),
  peerDependencies: Strings.default({}),
  engines: Strings.default({}),
  packageManager: z.string().optional().catch(undefined),
  workspaces: z
    .union([z.array(z.string()), z.object({ packages: z.array(z.string()) }).transform(({ packages }) => packages)])
    .optional()
    .catch(undefined),
  jest: z.unknown().optional(),
  mocha: z.unknown().optional(),
});
export type PackageJson = z.infer<typeof PackageJson>;

/** Reads the manifest of a directory; null when there is none that parses to an object. */
export async function readPackage(tree: string, directory = '.'): Promise<PackageJson | null> {
  const text = await readTreeText(tree, `${directory}/package.json`);
  if (text === null) return null;
  try {
    const parsed = PackageJson.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
