import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { readManifest } from './read-manifest.ts';
import { shippedFiles } from './shipped-files.ts';

const PACKAGES = join(import.meta.dirname, '../packages');

/**
 * The `exports` that each package that is published is to have, by its directory's name: `.`, what its README names,
 * and what the shipped code of the others imports. Tests reach into sources by relative paths. Throws when a module is
 * not there.
 */
export function neededExports(): Map<string, Record<string, string>> {
  const names = readdirSync(PACKAGES).filter((name) => readManifest(join(PACKAGES, name))['private'] !== true);
  const imported = new Set(names.flatMap((name) => importsOf(join(PACKAGES, name))));
  return new Map(
    names.map((name) => {
      const directory = join(PACKAGES, name);
      const { name: own, exports } = readManifest(directory);
      const page = readFileSync(join(directory, 'README.md'), 'utf8');
      const isDocumented = (subpath: string): boolean =>
        page.includes(`\`${subpath.slice(1)}\``) || page.includes(`'${own}${subpath.slice(1)}'`);
      const kept = Object.entries(exports).filter(
        ([subpath]) => subpath === '.' || isDocumented(subpath) || imported.has(own + subpath.slice(1)),
      );
      const known = Object.fromEntries(kept);
      const others = [...imported]
        .filter((specifier) => specifier.startsWith(`${own}/`))
        .map((specifier) => [`.${specifier.slice(own.length)}`, `./src${specifier.slice(own.length)}.ts`] as const)
        .filter(([subpath]) => !(subpath in known));
      const needed = [...kept, ...others].toSorted(([a], [b]) => (a < b ? -1 : 1));
      for (const [, source] of needed)
        if (!existsSync(join(directory, source))) throw new Error(`${own}: ${source} is not there`);
      return [name, Object.fromEntries(needed)];
    }),
  );
}

/** Entry points of other packages of the workspace that a package's shipped code imports. */
function importsOf(directory: string): string[] {
  const modules = shippedFiles(directory).filter((path) => path.endsWith('.ts'));
  return modules.flatMap((path) =>
    ts
      .preProcessFile(readFileSync(join(directory, 'src', path), 'utf8'))
      .importedFiles.map(({ fileName }) => fileName)
      .filter((specifier) => specifier.startsWith('@assay/')),
  );
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, exports] of neededExports()) {
    const path = join(PACKAGES, name, 'package.json');
    const manifest: object = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
  }
}
