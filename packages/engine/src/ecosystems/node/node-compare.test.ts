import { describeComparing } from '../compare-conformance.ts';
import { nodeEcosystem } from './node-ecosystem.ts';

const TEXT = `export function tally(words: string[], limit?: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  const odd = /\\/\\/[/]'/.test('it') ? [, 1] : ['a', "b"];
  return limit ? \`\${odd} // \${limit}\` as never : counts;
}
`;

describeComparing(nodeEcosystem, {
  path: 'tally.ts',
  text: TEXT,
  same: {
    comments: TEXT.replace('= {};', '= {}; // word to number\n  /* more */'),
    documentation: `/** Counts words. */\n${TEXT}`,
    'other indentation': TEXT.replaceAll('\n  ', '\n\t'),
    'lines within brackets': TEXT.replace('[\'a\', "b"]', "[\n'a',\n'b',\n]"),
  },
  others: {
    operator: TEXT.replace('+ 1', '- 1'),
    'a hole': TEXT.replace('[, 1]', '[1]'),
    'a regular expression': TEXT.replace('[/]', '[^/]'),
    'text that only looks like a comment': TEXT.replace(' // $', ' /- $'),
    type: TEXT.replace('limit?: number', 'limit?: string'),
    name: TEXT.replaceAll('odd', 'even'),
  },
  broken: ['function (', 'const a = ;', '`', '/* ', 'a: b<c<d<'],
});
