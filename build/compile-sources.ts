import { globSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
const TEST_CODE =
  /(\.(test|fixture)\.\w+$|-(conformance|scenarios|test-home)\.\w+$|(^|\/)(testing|__fixtures__|__pycache__)\/)/;

/** The files below a package's `src/` but tests and what only they use; paths from there. */
export function listSources(packageDirectory: string): string[] {
  const directory = join(packageDirectory, 'src');
  return globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => !TEST_CODE.test(path))
    .sort();
}

/**
 * The JavaScript and the declarations of packages' modules, by the absolute path that each has beside its source. A
 * module is what the workspace's tsconfig.json includes, and what that imports. One program for several packages takes
 * little longer than one for a package. Throws with the compiler's diagnostics.
 */
export function compileSources(packageDirectories: readonly string[]): Map<string, string> {
  const { options, fileNames } = readConfiguration();
  const isWanted = (path: string): boolean =>
    packageDirectories.some((directory) => path.startsWith(`${directory}/src/`)) && !TEST_CODE.test(path);
  const program = ts.createProgram(fileNames.filter(isWanted), {
    ...options,
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    newLine: ts.NewLineKind.LineFeed,
  });
  const outputs = new Map<string, string>();
  const { diagnostics, emitSkipped } = program.emit(undefined, (path, text, _mark, _onError, sources) => {
    if (sources?.every(({ fileName }) => isWanted(fileName))) outputs.set(path, text);
  });
  refuse([...ts.getPreEmitDiagnostics(program), ...diagnostics]);
  if (emitSkipped) throw new Error('nothing was compiled');
  return outputs;
}

function readConfiguration(): ts.ParsedCommandLine {
  const path = join(ROOT, 'tsconfig.json');
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic: ts.Diagnostic) => refuse([diagnostic]) };
  const configuration = ts.getParsedCommandLineOfConfigFile(path, {}, host);
  if (!configuration) throw new Error(`${path} cannot be read`);
  refuse(configuration.errors);
  return configuration;
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
