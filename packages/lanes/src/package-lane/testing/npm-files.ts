import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { create } from 'tar';

export const integrityOf = (bytes: Buffer): string => `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

/** An npm tarball with a `package.json` and more files. */
export async function makeTarball(
  manifest: Record<string, unknown>,
  files: Record<string, string> = { 'index.js': 'module.exports = 1;\n' },
): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-tarball-'));
  try {
    for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files })) {
      const path = join(directory, 'package', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    const file = join(directory, 'out.tgz');
    await create({ file, cwd: directory, gzip: true, portable: true, mtime: new Date(0) }, ['package']);
    return await readFile(file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
