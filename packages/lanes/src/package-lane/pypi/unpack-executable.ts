import { readFile, writeFile } from 'node:fs/promises';
import { readZip } from './read-zip.ts';

/**
 * Writes `<project>.data/scripts/<name>` of a wheel to `target`, executable. False when the wheel has none. Throws
 * `LANE_FAILED`.
 */
export async function unpackExecutable(wheel: string, name: string, target: string): Promise<boolean> {
  const script = readZip(await readFile(wheel)).find(
    (entry) => entry.name.endsWith(`.data/scripts/${name}`) && entry.name.split('/').length === 3,
  );
  if (!script) return false;
  await writeFile(target, script.read(), { mode: 0o755 });
  return true;
}
