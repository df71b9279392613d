import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { bundleDependency, type BundledLicence } from './bundle-dependency.ts';
import { compileSources } from './compile-sources.ts';
import { pruneDeclarations } from './prune-declarations.ts';
import { readManifest, type Manifest } from './read-manifest.ts';
import { rewriteSpecifiers } from './rewrite-specifiers.ts';
import { shippedFiles } from './shipped-files.ts';

const PACKAGES = join(import.meta.dirname, '../packages');
const SCOPE = '@assay/';

/**
 * Makes packages as they are published, each in a directory of its name below `out`, ready for `npm pack`: JavaScript
 * and declarations, as Node strips no types under node_modules, in `lib/` as they lie in `src/`, so that what is found
 * by its URL is found there, too. A development dependency that shipped code imports comes into the package: of
 * the workspace to `lib/NAME/`, else bundled to `lib/vendor/`. Throws what the compiler says.
 */
export async function buildPackages(names: readonly string[], out: string): Promise<void> {
  const members = names.map(openMember);
  const inner = members.flatMap(({ manifest }) => innerPackages(manifest)).map(openMember);
  const compiled = compileSources([...new Set([...members, ...inner].map(({ directory }) => directory))]);
  for (const member of members) {
    const fresh = join(out, `${member.name}.${process.pid}.new`);
    rmSync(fresh, { recursive: true, force: true });
    try {
      await writePackage(member, compiled, fresh);
      rmSync(join(out, member.name), { recursive: true, force: true });
      renameSync(fresh, join(out, member.name));
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
}

interface Member {
  name: string;
  directory: string;
  manifest: Manifest;
  sources: readonly string[];
}

function openMember(name: string): Member {
  const directory = join(PACKAGES, name);
  return { name, directory, manifest: readManifest(directory), sources: shippedFiles(directory) };
}

/** Packages of the workspace whose modules come into this one. */
const innerPackages = (manifest: Manifest): string[] =>
  Object.keys(manifest.devDependencies)
    .filter((name) => name.startsWith(SCOPE) && !name.endsWith('/testkit'))
    .map((name) => name.slice(SCOPE.length));

async function writePackage(member: Member, compiled: ReadonlyMap<string, string>, out: string): Promise<void> {
  const { directory, manifest, sources } = member;
  mkdirSync(join(out, 'lib'), { recursive: true });
  const bundled = writeModules(member, compiled, out);
  for (const path of sources)
    if (!isModule(compiled, directory, path)) cpSync(join(directory, 'src', path), join(out, 'lib', path));
  for (const path of manifest.files) cpSync(join(directory, path), join(out, path), { recursive: true });
  const licences: BundledLicence[] = [];
  for (const name of bundled)
    licences.push(...(await bundleDependency(name, directory, join(out, 'lib/vendor', `${name}.js`))));
  if (licences.length > 0) writeFileSync(join(out, 'THIRD-PARTY-LICENCES'), licenceText(licences));
  cpSync(join(PACKAGES, '../LICENSE'), join(out, 'LICENSE'));
  writeReadme(directory, out);
  const published = publishedManifest(manifest, out);
  pruneDeclarations(
    out,
    Object.values(published.exports).map(({ types }) => types),
    manifest.dependencies,
  );
  // Documents beside the code are imported as they lie there.
  const documents = ['package.json', ...manifest.files.filter((file) => file.endsWith('.json'))];
  const exports = { ...published.exports, ...Object.fromEntries(documents.map((file) => [`./${file}`, `./${file}`])) };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ ...published, exports }, null, 2)}\n`);
}

/**
 * Writes the package's modules, and those of inner packages that they lead to. Returns the names of dependencies to be
 * bundled. Throws when something is imported that no user would have.
 */
function writeModules(member: Member, compiled: ReadonlyMap<string, string>, out: string): Set<string> {
  const bundled = new Set<string>();
  const inner = new Map(innerPackages(member.manifest).map((name) => [`${SCOPE}${name}`, openMember(name)]));
  const written = new Set<string>();
  const write = (directory: string, module: string, place: string): void => {
    if (written.has(place)) return;
    written.add(place);
    for (const ending of ['.js', '.d.ts']) {
      const source = join(directory, 'src', module.replace(/\.ts$/, ending));
      const path = place.replace(/\.ts$/, ending);
      const text = compiled.get(source);
      if (text === undefined) throw new Error(`${place} leads to ${source}, which is not compiled`);
      const rewritten = rewriteSpecifiers(source, text, (specifier) => {
        const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
        const other = inner.get(name);
        if (specifier.startsWith('.')) {
          const target = specifier.replace(/\.ts$/, '.js');
          follow(directory, posix.join(posix.dirname(module), target), posix.join(posix.dirname(place), target));
          return target;
        }
        if (other) {
          const entry = other.manifest.exports[`.${specifier.slice(name.length)}`];
          if (entry === undefined) throw new Error(`${specifier} is not exported`);
          const target = entry.replace('./src/', '');
          const there = `lib/${other.name}/${target}`;
          write(other.directory, target, there);
          return relativeSpecifier(path, there.replace(/\.ts$/, '.js'));
        }
        if (specifier.startsWith('node:') || isInstalled(member.manifest, name)) return specifier;
        if (!(specifier in member.manifest.devDependencies))
          throw new Error(`${specifier} is imported, but is no dependency of ${member.manifest.name}`);
        bundled.add(specifier);
        return relativeSpecifier(path, `lib/vendor/${specifier}.js`);
      });
      mkdirSync(join(out, dirname(path)), { recursive: true });
      writeFileSync(join(out, path), rewritten);
    }
  };
  const follow = (directory: string, module: string, place: string): void => {
    const source = module.replace(/\.js$/, '.ts');
    if (isModule(compiled, directory, source)) write(directory, source, place.replace(/\.js$/, '.ts'));
    else if (!existsSync(join(directory, 'src', module))) throw new Error(`${place} is not there`);
  };
  for (const path of member.sources)
    if (isModule(compiled, member.directory, path)) write(member.directory, path, `lib/${path}`);
  return bundled;
}

const isModule = (compiled: ReadonlyMap<string, string>, directory: string, path: string): boolean =>
  path.endsWith('.ts') && compiled.has(join(directory, 'src', path.replace(/\.ts$/, '.js')));

const isInstalled = ({ dependencies, peerDependencies }: Manifest, name: string): boolean =>
  name in dependencies || name in peerDependencies;

function relativeSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}

/** With the pages of the workspace that it links to. */
function writeReadme(directory: string, out: string): void {
  const text = readFileSync(join(directory, 'README.md'), 'utf8').replace(
    /\]\(\.\.\/\.\.\/(docs\/[\w-]+\.md)\)/g,
    (_link, page: string) => {
      cpSync(join(PACKAGES, '..', page), join(out, page));
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
  [field: string]: unknown;
}

function publishedManifest(manifest: Manifest, out: string): Published {
  const { devDependencies: _development, scripts: _scripts, private: isPrivate, exports, bin, ...rest } = manifest;
  if (isPrivate === true) throw new Error(`${manifest.name} is private`);
  const built = (source: string, ending: string): string => {
    const path = source.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, ending);
    if (!existsSync(join(out, path))) throw new Error(`${manifest.name} names ${source}, which is not there`);
    return path;
  };
  const entries = Object.entries(exports).map(
    ([subpath, source]) => [subpath, { types: built(source, '.d.ts'), default: built(source, '.js') }] as const,
  );
  const programs = Object.entries(bin).map(([name, source]) => [name, built(source, '.js')] as const);
  return {
    ...rest,
    ...(programs.length > 0 ? { bin: Object.fromEntries(programs) } : {}),
    exports: Object.fromEntries(entries),
    files: ['lib', 'docs', 'THIRD-PARTY-LICENCES', ...manifest.files],
  };
}
