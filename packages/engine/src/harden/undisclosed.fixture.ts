import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import { pythonEcosystem } from '../ecosystems/python/python-ecosystem.ts';
import { readT0Tokens } from './t0-tokens.ts';
import { undisclosedSymbols } from './undisclosed-symbols.ts';

const scratch = mkdtempSync(join(tmpdir(), 'assay-undisclosed-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;

export function tree(files: Record<string, string>): string {
  const directory = join(scratch, String((count += 1)));
  mkdirSync(directory);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
}

export const change = (files: Record<string, string>): ChangeSet => ({
  files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
  deleted: [],
});

export interface Case {
  t0?: Record<string, string>;
  reference: Record<string, string>;
  tests: Record<string, string>;
  instruction?: string;
  ecosystem?: Ecosystem;
}

/** The file that short cases change, empty. */
export const EMPTY = { 'src/a.py': '\n', 'src/a.js': '\n' };

export async function undisclosed({
  t0,
  reference,
  tests,
  instruction = '',
  ecosystem = pythonEcosystem,
}: Case): Promise<string[]> {
  const t0Directory = tree({ ...EMPTY, ...t0 });
  const found = undisclosedSymbols({
    reference: change(reference),
    tests: change(tests),
    t0Directory,
    t0Tokens: await readT0Tokens(t0Directory),
    instruction,
    ecosystem,
  });
  return found.map(({ kind, text }) => `${kind} ${text}`);
}

export const py = (reference: string, tests: string, rest: Partial<Case> = {}): Case => ({
  reference: { 'src/a.py': reference },
  tests: { 'tests/test_a.py': tests },
  ...rest,
});
export const js = (reference: string, tests: string, rest: Partial<Case> = {}): Case => ({
  reference: { 'src/a.js': reference },
  tests: { 'test/a.test.js': tests },
  ecosystem: nodeEcosystem,
  ...rest,
});
