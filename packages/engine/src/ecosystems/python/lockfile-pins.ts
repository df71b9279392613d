import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { normalizeName } from './declared-names.ts';

const Lockfile = z.object({
  package: z
    .array(
      z.object({
        name: z.string(),
        version: z.string().optional(),
        source: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .catch([]),
});

/**
 * Lists, as `name==version`, everything that poetry.lock, uv.lock or pdm.lock pins once. Packages pinned twice (by
 * platform or interpreter) are left to the resolver.
 */
export async function readLockfilePins(read: (path: string) => Promise<string>): Promise<string[]> {
  for (const path of ['uv.lock', 'poetry.lock', 'pdm.lock']) {
    const pins = lockfilePins(await read(path));
    if (pins.length > 0) return pins;
  }
  return [];
}

export function lockfilePins(text: string): string[] {
  const versions = new Map<string, Set<string>>();
  for (const { name, version, source } of parseLockfile(text)) {
    const local =
      source !== undefined && ['editable', 'virtual', 'directory', 'git', 'path'].some((key) => key in source);
    if (version === undefined || local) continue;
    const key = normalizeName(name);
    versions.set(key, (versions.get(key) ?? new Set()).add(version));
  }
  return [...versions]
    .flatMap(([name, found]) => (found.size === 1 ? [...found].map((version) => `${name}==${version}`) : []))
    .sort();
}

function parseLockfile(text: string): z.infer<typeof Lockfile>['package'] {
  if (text === '') return [];
  try {
    return Lockfile.parse(parseToml(text)).package;
  } catch {
    return [];
  }
}
