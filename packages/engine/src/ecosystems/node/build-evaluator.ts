import { bundleProgram } from '../bundle-program.ts';

/** What only other modes of the tool import. */
const UNUSED = ['./rewrite.mjs', './battery.mjs', './control.mjs', './tell.mjs', './told.mjs'];

/**
 * Compiles the tool, as far as it evaluates, into one file that needs nothing but Node, with the licences of what went
 * into it. The same sources give the same bytes.
 */
export async function buildEvaluator(directory: string): Promise<Map<string, Uint8Array>> {
  const { code, licences } = await bundleProgram({ directory, entry: 'tool.mjs', external: UNUSED });
  return new Map([
    ['tool.mjs', code],
    ['THIRD-PARTY-LICENCES', Buffer.from(licences)],
  ]);
}
