import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildPackages } from './build-package.ts';

/**
 * `npm pack` takes a package's directory as it lies there, and the workspace needs a manifest that points to the
 * sources. So before packing the built files and the published manifest and page are put in place, and after it what
 * was there before. npm starts this in the package's directory.
 */
const PACKAGE = process.cwd();
const REPLACED = ['package.json', 'README.md'];
const ADDED = join(PACKAGE, '.workspace-added');
const kept = (name: string): string => join(PACKAGE, `.workspace-${name}`);

/** Also what a killed `npm pack` left. */
function restore(): void {
  for (const name of REPLACED) if (existsSync(kept(name))) renameSync(kept(name), join(PACKAGE, name));
  if (!existsSync(ADDED)) return;
  const added: string[] = JSON.parse(readFileSync(ADDED, 'utf8'));
  for (const name of added) rmSync(join(PACKAGE, basename(name)), { recursive: true, force: true });
  rmSync(ADDED);
}

async function prepare(): Promise<void> {
  restore();
  const scratch = mkdtempSync(join(tmpdir(), 'assay-pack-'));
  try {
    const name = basename(PACKAGE);
    await buildPackages([name], scratch);
    const built = join(scratch, name);
    const added = readdirSync(built).filter((entry) => !existsSync(join(PACKAGE, entry)));
    writeFileSync(ADDED, JSON.stringify(added));
    for (const entry of added) cpSync(join(built, entry), join(PACKAGE, entry), { recursive: true });
    for (const entry of REPLACED) {
      renameSync(join(PACKAGE, entry), kept(entry));
      cpSync(join(built, entry), join(PACKAGE, entry));
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
