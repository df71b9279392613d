import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleProgram } from '../bundle-program.ts';
import type { CompareFacet } from '../compare-facet.ts';

const DIRECTORY = join(import.meta.dirname, 'compare');
const INSIDE = '/opt/assay/compare';

/** The interpreter's own parser and tokenizer. */
export const pythonCompare: CompareFacet = {
  image: 'python:3.11-slim-bookworm',
  command: ['/usr/local/bin/python3', '-I', '-S', '-B', '/opt/compare/main.py'],
  tool: (env) => ({
    argv: [env['ASSAY_PYTHON'] ?? 'python3', '-I', '-S', '-B', `${INSIDE}/main.py`],
    env: {},
    mounts: [{ kind: 'read-only', source: DIRECTORY, target: INSIDE }],
  }),
  files: async () => {
    const { code } = await bundleProgram({ directory: import.meta.dirname, entry: 'classify-python-path' });
    return new Map([
      ['main.py', await readFile(join(DIRECTORY, 'main.py'))],
      ['classify.mjs', Buffer.concat([code, Buffer.from('export { classifyPythonPath as classify };\n')])],
    ]);
  },
};
