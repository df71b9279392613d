import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage } from './build-package.ts';

/**
 * `npm pack` takes this directory as it lies there, and the workspace needs a manifest that points to the sources. So
 * before packing the built files and the published manifest and page are put in place, and after it what was there
 * before.
 */
const PACKAGE = join(import.meta.dirname, '..');
const REPLACED = ['package.json', 'README.md'];
const ADDED = ['lib', 'docs', 'LICENSE', 'THIRD-PARTY-LICENCES'];
const kept = (name: string): string => join(PACKAGE, `.workspace-${name}`);

/** Also what a killed `npm pack` left. */
function restore(): void {
  for (const name of REPLACED) if (existsSync(kept(name))) renameSync(kept(name), join(PACKAGE, name));
  for (const name of ADDED) rmSync(join(PACKAGE, name), { recursive: true, force: true });
}

async function prepare(): Promise<void> {
  restore();
  const scratch = mkdtempSync(join(tmpdir(), 'assay-pack-'));
  try {
    const built = join(scratch, 'package');
    await buildPackage(built);
    for (const name of ADDED)
      if (existsSync(join(built, name))) cpSync(join(built, name), join(PACKAGE, name), { recursive: true });
    const manifest: object = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
    // npm runs the script of the manifest that it read before.
    writeFileSync(join(built, 'package.json'), `${JSON.stringify({ ...manifest, files: ADDED }, null, 2)}\n`);
    for (const name of REPLACED) {
      renameSync(join(PACKAGE, name), kept(name));
      cpSync(join(built, name), join(PACKAGE, name));
    }
  } catch (error) {
    restore();
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'restore') restore();
else await prepare();
