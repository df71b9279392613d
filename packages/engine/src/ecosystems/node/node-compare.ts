import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from '../bundle-program.ts';
import type { CompareFacet } from '../compare-facet.ts';

const DIRECTORY = fileURLToPath(new URL('compare/', import.meta.url));
const INSIDE = '/opt/assay/compare';
const PARSER = '@babel/parser';

export const nodeCompare: CompareFacet = {
  image: 'node:24-bookworm-slim',
  command: ['/usr/local/bin/node', '/opt/compare/main.mjs'],
  tool: (env) => ({
    argv: [env['ASSAY_NODE'] ?? 'node', `${INSIDE}/main.mjs`],
    env: { NODE_OPTIONS: '', NODE_PATH: '' },
    mounts: [
      { kind: 'read-only', source: DIRECTORY, target: INSIDE },
      { kind: 'read-only', source: parserDirectory(), target: `/opt/assay/node_modules/${PARSER}` },
    ],
  }),
  files: async () => {
    const main = await bundleProgram({ directory: DIRECTORY, entry: 'main.mjs' });
    const classify = await bundleProgram({ directory: import.meta.dirname, entry: 'classify-node-path' });
    return new Map([
      ['main.mjs', main.code],
      ['classify.mjs', withName(classify.code, 'classifyNodePath')],
      ['THIRD-PARTY-LICENCES', Buffer.from(main.licences)],
    ]);
  },
};

const withName = (code: Uint8Array, name: string): Uint8Array =>
  Buffer.concat([code, Buffer.from(`export { ${name} as classify };\n`)]);

const parserDirectory = (): string => dirname(createRequire(import.meta.url).resolve(`${PARSER}/package.json`));
