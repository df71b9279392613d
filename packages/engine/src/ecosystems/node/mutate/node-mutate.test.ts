import { describeMutations } from '../../mutate-conformance.ts';
import { nodeMutate } from './node-mutate.ts';

describeMutations(nodeMutate, {
  path: 'src/a.ts',
  text: `import { show } from './show.ts';
/** Picks rows: 7. */
export function pick(rows: Map<'no', 5>, least = 3): string[] {
  const found: string[] = []; // é𝒳: a comment of 6
  for (const row of rows) {
    if (!row && least > 2) continue;
    if (/^ab$/i.test(row)) throw new TypeError('no rows: 8');
    else { found.push('é𝒳' + row); }
  }
  while (found.length > 9) found.pop();
  console.log('picked 6');
  const shown = { a: 1, b: true };
  const first = (all) => all[0] ?? 'none';
  if (least) { first(found); } else { show(shown); }
  return found.length === 4 ? found : ['a', 'b'];
}
`,
  made: {
    condition: ['if (!(!row && least > 2)) continue;', 'if (!row && true) continue;', 'while (false) found.pop();'],
    comparison: ['if (!row && least >= 2) continue;'],
    constant: [
      "export function pick(rows: Map<'no', 5>, least = 4): string[] {",
      "else { found.push('' + row); }",
      "if (/ab$/i.test(row)) throw new TypeError('no rows: 8');",
      "if (/^ab$/.test(row)) throw new TypeError('no rows: 8');",
    ],
    return: ['return undefined;', 'const first = (all) => undefined;'],
    statement: ['if (/^ab$/i.test(row)) ;', 'else { ; }'],
    element: ['const shown = { a: 1 };', "return found.length === 4 ? found : ['b'];"],
    loop: ['while (found.length > 9) { found.pop(); break; }'],
  },
  silent: [
    "import { show } from './show.ts';",
    '/** Picks rows: 7. */',
    "rows: Map<'no', 5>",
    '// é𝒳: a comment of 6',
    "console.log('picked 6');",
  ],
  idle: [
    '// 𝒳\n',
    '/** 𝒳 */\n',
    'interface Odd { a: 1 }\n',
    'type Odd = 1;\n',
    "import type { Odd } from './odd.ts';\n",
  ],
  rewritten: [
    "if (/^ab$/i.test(row)) throw new TypeError(('reworded: ' + ('no rows: 8')));",
    'if (!(least)) { show(shown); } else { first(found); }',
    "return !(found.length === 4) ? ['a', 'b'] : found;",
  ],
});
