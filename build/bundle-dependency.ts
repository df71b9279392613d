import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The licence of a package whose code is in the bundle. */
export interface BundledLicence {
  name: string;
  version: string;
  text: string;
}

/**
 * Writes a dependency, with all that it needs, as one module. Returns the licences of what is in it. Throws when one
 * has no licence file or the bundle would import something of its own.
 */
export async function bundleDependency(
  name: string,
  packageDirectory: string,
  outFile: string,
): Promise<BundledLicence[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from ${JSON.stringify(name)};`, resolveDir: packageDirectory },
    absWorkingDir: packageDirectory,
    outfile: outFile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node22',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
  });
  const directories = new Set<string>();
  for (const [output, { imports, inputs }] of Object.entries(metafile.outputs)) {
    const foreign = imports.filter(({ external, path }) => external === true && !path.startsWith('node:'));
    if (foreign.length > 0) throw new Error(`${output} imports ${foreign.map(({ path }) => path).join(', ')}`);
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      const directory = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
      if (directory !== undefined && bytesInOutput > 0) directories.add(join(packageDirectory, directory));
    }
  }
  return [...directories].sort().map(readLicence);
}

function readLicence(directory: string): BundledLicence {
  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return { name, version, text: readFileSync(join(directory, file), 'utf8').trim() };
}
