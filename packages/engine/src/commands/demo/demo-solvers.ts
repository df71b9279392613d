import { execAgent } from '../../agents/exec-agent.ts';
import type { Agent } from '../../agents/agent.ts';
import { writeFileScript } from '../../cheats/cheat.ts';

/** Solves it from the instruction alone, in other words than the reference. */
export const honestSolver: Agent = execAgent(
  edit(`source.replace('  const records = [];', \`  if (count > 0 && widths.every((width) => width === 0)) throw new RangeError('records of zero width');
  const records = [];\`)`),
  { name: 'honest' },
);

/** Makes the symptom go away (no more endless work) without doing what was asked. */
export const clampingSolver: Agent = execAgent(
  edit(`source.replace('  const records = [];', \`  if (widths.every((width) => width === 0)) count = Math.min(count, 1);
  const records = [];\`)`),
  { name: 'clamp' },
);

function edit(expression: string): string {
  const script = `import { readFileSync, writeFileSync } from 'node:fs';
const path = '/workspace/src/read-table.js';
const source = readFileSync(path, 'utf8');
writeFileSync(path, ${expression});
`;
  return `${writeFileScript('/tmp/edit.mjs', script)}node /tmp/edit.mjs`;
}
