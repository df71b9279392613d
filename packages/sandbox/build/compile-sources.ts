import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import ts from 'typescript';
import { readManifest, type Manifest } from './read-manifest.ts';
import { rewriteSpecifiers } from './rewrite-specifiers.ts';

const PROTOCOL = '@assay/protocol';

/**
 * Compiles the sources to JavaScript and declarations in `lib/` of the output, file by file as they lie in `src/`, so
 * that what is found by its URL is found there, too. Modules of protocol come into `lib/protocol/`; development
 * dependencies are imported from `lib/vendor/`, and their names are returned. Throws with the diagnostics, or when
 * something else is imported that no user would have.
 */
export function compileSources(packageDirectory: string, out: string): Set<string> {
  const manifest = readManifest(packageDirectory);
  const protocol = readManifest(join(packageDirectory, '../protocol'));
  const bundled = new Set<string>();
  const program = openProgram(packageDirectory);
  const { diagnostics, emitSkipped } = program.emit(undefined, (fileName, text) => {
    const path = placeOf(relative(join(packageDirectory, '..'), fileName).replaceAll('\\', '/'));
    const rewritten = rewriteSpecifiers(fileName, text, (specifier) => {
      const target = replaced(specifier, { manifest, protocol, bundled });
      return target.startsWith('lib/') ? relativeSpecifier(path, target) : target;
    });
    mkdirSync(join(out, dirname(path)), { recursive: true });
    writeFileSync(join(out, path), rewritten);
  });
  refuse([...ts.getPreEmitDiagnostics(program), ...diagnostics]);
  if (emitSkipped) throw new Error('nothing was compiled');
  return bundled;
}

function openProgram(packageDirectory: string): ts.Program {
  const path = join(packageDirectory, 'tsconfig.build.json');
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic: ts.Diagnostic) => refuse([diagnostic]) };
  const config = ts.getParsedCommandLineOfConfigFile(path, {}, host);
  if (!config) throw new Error(`${path} cannot be read`);
  refuse(config.errors);
  return ts.createProgram(config.fileNames, config.options);
}

function refuse(diagnostics: readonly ts.Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  throw new Error(
    ts.formatDiagnostics(diagnostics, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => process.cwd(),
      getNewLine: () => '\n',
    }),
  );
}

/** Where a file that the compiler names, seen from `packages/`, lies in the package. */
function placeOf(path: string): string {
  const place = path.replace(/^sandbox\/src\//, 'lib/').replace(/^protocol\/src\//, 'lib/protocol/');
  if (!place.startsWith('lib/')) throw new Error(`${path} belongs neither to the package nor to ${PROTOCOL}`);
  return place;
}

interface Surroundings {
  manifest: Manifest;
  protocol: Manifest;
  /** Grows. */
  bundled: Set<string>;
}

/** What is to stand in place of a specifier; `lib/…` is a file of the package. */
function replaced(specifier: string, { manifest, protocol, bundled }: Surroundings): string {
  if (specifier.startsWith('node:')) return specifier;
  // The compiler leaves relative ones alone in declarations.
  if (specifier.startsWith('.')) return specifier.replace(/\.ts$/, '.js');
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  if (name === PROTOCOL) {
    const source = protocol.exports[`.${specifier.slice(name.length)}`];
    if (source === undefined) throw new Error(`${specifier} is not exported`);
    return placeOf(posix.join('protocol', source)).replace(/\.ts$/, '.js');
  }
  if (name in manifest.dependencies || name in manifest.peerDependencies) return specifier;
  if (!(specifier in manifest.devDependencies))
    throw new Error(`${specifier} is imported, but is no dependency of ${manifest.name}`);
  bundled.add(specifier);
  return `lib/vendor/${specifier}.js`;
}

function relativeSpecifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith('.') ? path : `./${path}`;
}
