import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ProgramToBundle {
  /** The directory of the sources; paths in the output are relative to it, so that it is the same wherever Assay is installed. */
  directory: string;
  /** File in it. Without extension: TypeScript in the workspace, JavaScript in an installed package. */
  entry: string;
  /** Imports that are left as they are. */
  external?: readonly string[];
}

export interface BundledProgram {
  code: Uint8Array;
  /** The licences of the packages that went into it; empty when there are none. */
  licences: string;
}

/** Compiles a program into one file that needs nothing but Node. The same sources give the same bytes. */
export async function bundleProgram({ directory, entry, external = [] }: ProgramToBundle): Promise<BundledProgram> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [join(directory, entry)],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    write: false,
    metafile: true,
    charset: 'utf8',
    logLevel: 'silent',
    legalComments: 'none',
    absWorkingDir: directory,
    external: [...external],
    // For packages that were compiled as CommonJS.
    banner: {
      js: `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const __filename = new URL(import.meta.url).pathname;
const __dirname = new URL('.', import.meta.url).pathname;`,
    },
  });
  return {
    code: outputFiles[0]?.contents ?? new Uint8Array(),
    licences: await licencesOf(directory, Object.keys(metafile.inputs)),
  };
}

async function licencesOf(directory: string, inputs: readonly string[]): Promise<string> {
  const packages = new Set(
    inputs.flatMap((input) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(join(directory, input))?.[0] ?? []),
  );
  const texts = [...packages]
    .filter((path) => !path.includes('/node_modules/@assay/'))
    .sort()
    .map(async (each) => {
      const name = each.slice(each.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const file = (await readdir(each)).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name}\n\n${file === undefined ? 'MIT' : await readFile(join(each, file), 'utf8')}`;
    });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
