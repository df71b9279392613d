import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SplitFacet } from '../split-facet.ts';

const DIRECTORY = fileURLToPath(new URL('split/', import.meta.url));
const IN_SANDBOX = '/opt/assay/split';
/** Before it, nodes of a syntax tree do not say where they end. */
const OLDEST_MINOR = 8;

export const pythonSplit: SplitFacet = {
  version: 2,
  runners: ['pytest'],
  raiseWord: 'raise',
  refusal({ spec }) {
    const [, minor] = /^3\.(\d+)/.exec(spec.interpreter) ?? [];
    return minor !== undefined && Number(minor) >= OLDEST_MINOR
      ? null
      : `Python ${spec.interpreter} cannot say where expressions end; 3.${OLDEST_MINOR} can`;
  },
  tool: (environment) => ({
    argv: [environment.env['ASSAY_PYTHON'] ?? 'python3', '-I', '-S', `${IN_SANDBOX}/tool.py`],
    env: { LANG: 'C.UTF-8', TZ: 'UTC', PYTHONDONTWRITEBYTECODE: '1' },
    mounts: [{ kind: 'read-only', source: DIRECTORY, target: IN_SANDBOX }],
  }),
  evaluatorFiles: async () =>
    new Map(
      (await readdir(DIRECTORY)).flatMap((name) => (name.endsWith('.py') ? [[name, join(DIRECTORY, name)]] : [])),
    ),
  baseOf(strippedId) {
    const bracket = strippedId.indexOf('[', Math.max(strippedId.indexOf('::'), 0));
    return bracket < 0 ? strippedId : strippedId.slice(0, bracket);
  },
};
