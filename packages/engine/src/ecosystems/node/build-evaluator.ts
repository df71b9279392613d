import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What only other modes of the tool import. */
const UNUSED = ['./rewrite.mjs', './battery.mjs', './control.mjs', './tell.mjs', './told.mjs'];

/**
 * Compiles the tool, as far as it evaluates, into one file that needs nothing but Node, with the licences of what went
 * into it. The same sources give the same bytes.
 */
export async function buildEvaluator(directory: string): Promise<Map<string, Uint8Array>> {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: [join(directory, 'tool.mjs')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    write: false,
    metafile: true,
    charset: 'utf8',
    logLevel: 'silent',
    legalComments: 'none',
    // Paths in the output are relative to it.
    absWorkingDir: directory,
    external: UNUSED,
    // For packages that were compiled as CommonJS.
    banner: {
      js: `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const __filename = new URL(import.meta.url).pathname;
const __dirname = new URL('.', import.meta.url).pathname;`,
    },
  });
  return new Map([
    ['tool.mjs', outputFiles[0]?.contents ?? new Uint8Array()],
    ['THIRD-PARTY-LICENCES', Buffer.from(await licencesOf(directory, Object.keys(metafile.inputs)))],
  ]);
}

async function licencesOf(directory: string, inputs: readonly string[]): Promise<string> {
  const packages = new Set(
    inputs.flatMap((input) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(join(directory, input))?.[0] ?? []),
  );
  const texts = [...packages].sort().map(async (each) => {
    const name = each.slice(each.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const file = (await readdir(each)).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name}\n\n${file === undefined ? 'MIT' : await readFile(join(each, file), 'utf8')}`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
