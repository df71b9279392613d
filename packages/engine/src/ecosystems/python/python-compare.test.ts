import { describeComparing } from '../compare-conformance.ts';
import { pythonEcosystem } from './python-ecosystem.ts';

const TEXT = `def tally(words, limit=None):
    """Count words."""
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return dict(list(counts.items())[:limit]), ("a", "b"), (1,)
`;

describeComparing(pythonEcosystem, {
  path: 'tally.py',
  text: TEXT,
  same: {
    comments: TEXT.replace('counts = {}\n', 'counts = {}  # word to number\n    # more\n'),
    documentation: TEXT.replace('"""Count words."""', "'''Count the words\n\n    of a text.\n    '''"),
    'no documentation': TEXT.replace('    """Count words."""\n', ''),
    'other indentation': TEXT.replace(/^( {4})+/gm, (spaces) => spaces.slice(0, spaces.length / 2)),
    'lines within brackets': TEXT.replace('(words, limit=None)', '(\n    words,\n    limit=None,\n)'),
    'other quotes': TEXT.replace('("a", "b")', "('a', 'b')"),
  },
  others: {
    operator: TEXT.replace('+ 1', '- 1'),
    nesting: TEXT.replace('    return dict', '        return dict'),
    'a tuple of one element': TEXT.replace('(1,)', '(1)'),
    'a string that is no documentation': TEXT.replace('counts = {}', 'counts = {}\n    "Count words."'),
    name: TEXT.replace('limit=None', 'most=None'),
  },
  broken: ['def f(:\n    pass\n', '  x = 1\n y = 2\n', "'''", 'x = \0', 'return\n'.repeat(3) + '('],
});
