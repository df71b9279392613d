import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDependency, type BundledLicence } from './bundle-dependency.ts';
import { compileSources } from './compile-sources.ts';
import { pruneDeclarations } from './prune-declarations.ts';
import { readManifest, type Manifest } from './read-manifest.ts';

const PACKAGE = join(import.meta.dirname, '..');

/**
 * Makes the package as it is published, ready for `npm pack`: JavaScript and declarations, as Node strips no types
 * under node_modules, and nothing of the workspace but what is compiled into it. `out` is replaced as a whole. Throws
 * what the compiler says.
 */
export async function buildPackage(out: string): Promise<void> {
  const fresh = `${out}.${process.pid}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    const bundled = compileSources(PACKAGE, fresh);
    const licences: BundledLicence[] = [];
    for (const name of bundled)
      licences.push(...(await bundleDependency(name, PACKAGE, join(fresh, 'lib/vendor', `${name}.js`))));
    copyAssets(join(PACKAGE, 'src'), join(fresh, 'lib'));
    writeFileSync(join(fresh, 'THIRD-PARTY-LICENCES'), licenceText(licences));
    cpSync(join(PACKAGE, '../../LICENSE'), join(fresh, 'LICENSE'));
    writeReadme(fresh);
    const manifest = publishedManifest(readManifest(PACKAGE), fresh);
    pruneDeclarations(
      fresh,
      Object.values(manifest.exports).map(({ types }) => types),
      manifest.dependencies,
    );
    writeFileSync(
      join(fresh, 'package.json'),
      `${JSON.stringify({ ...manifest, exports: { ...manifest.exports, './package.json': './package.json' } }, null, 2)}\n`,
    );
    rmSync(out, { recursive: true, force: true });
    renameSync(fresh, out);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Whatever lies among the sources and is no TypeScript: programs that run inside sandboxes. */
function copyAssets(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !/\.ts$|\/(?:__fixtures__|testing)$/.test(path) });
}

/** With the pages of the workspace that it links to. */
function writeReadme(out: string): void {
  const text = readFileSync(join(PACKAGE, 'README.md'), 'utf8').replace(
    /\]\(\.\.\/\.\.\/(docs\/[\w-]+\.md)\)/g,
    (_link, page: string) => {
      cpSync(join(PACKAGE, '../..', page), join(out, page));
      return `](${page})`;
    },
  );
  writeFileSync(join(out, 'README.md'), text);
}

function licenceText(licences: BundledLicence[]): string {
  const entries = licences.map(({ name, version, text }) => `${name} ${version}\n\n${text}\n`);
  return ['The directory lib/vendor holds code of these packages.\n', ...entries].join(`\n${'-'.repeat(80)}\n\n`);
}

interface Published {
  exports: Record<string, { types: string; default: string }>;
  dependencies: Record<string, string>;
  [field: string]: unknown;
}

function publishedManifest(manifest: Manifest, out: string): Published {
  const {
    private: _private,
    devDependencies: _development,
    scripts: _scripts,
    exports,
    dependencies,
    ...rest
  } = manifest;
  const entries = Object.entries(exports).map(([subpath, source]) => {
    const stem = source.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, '');
    if (!existsSync(join(out, `${stem}.js`))) throw new Error(`${subpath} is ${source}, which is not there`);
    return [subpath, { types: `${stem}.d.ts`, default: `${stem}.js` }] as const;
  });
  const external = Object.entries(dependencies).filter(([name]) => !name.startsWith('@assay/'));
  return { ...rest, exports: Object.fromEntries(entries), dependencies: Object.fromEntries(external) };
}

if (process.argv[1] === import.meta.filename) await buildPackage(join(PACKAGE, 'dist-package'));
