import { join } from 'node:path';
import ts from 'typescript';
import { isShipped } from './shipped-files.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * The JavaScript and the declarations of packages' modules, by the absolute path that each has beside its source. A
 * module is what the workspace's tsconfig.json includes, and what that imports. One program for several packages takes
 * little longer than one for a package. Throws with the compiler's diagnostics.
 */
export function compileSources(packageDirectories: readonly string[]): Map<string, string> {
  const { options, fileNames } = readConfiguration();
  const isWanted = (path: string): boolean =>
    packageDirectories.some((directory) => path.startsWith(`${directory}/src/`)) && isShipped(path);
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
