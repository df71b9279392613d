import { describeMutations } from '../../mutate-conformance.ts';
import { pythonMutate } from './python-mutate.ts';

describeMutations(pythonMutate, {
  path: 'src/a.py',
  text: `"""What the module is for: 3."""
import os

def pick(rows, least: "int" = 3, *, strict=False):
    """Picks rows: 7."""
    # é𝒳: a comment of 5
    found = []
    for row in rows:
        if not row and strict:
            continue
        if row < least:
            found.append("é𝒳" + row)
        else:
            found.append(show(row, width=4, fill="0"))
    while len(found) > 9: found.pop()
    LOG.info("picked 6")
    least = {"a": 1, "b": 2}
    if strict in (1, 2):
        raise ValueError("no rows: 8")
    return [one for one in found] if found == rows else None
`,
  made: {
    condition: ['if True:', 'if not (row < least):', 'if not row and True:', 'while False: found.pop()'],
    comparison: ['if row <= least:'],
    constant: [
      'def pick(rows, least: "int" = 4, *, strict=False):',
      'def pick(rows, least: "int" = 3, *, strict=True):',
      'found.append("" + row)',
    ],
    return: ['return None'],
    statement: ['pass', 'while len(found) > 9: pass'],
    element: ['least = {"a": 1}', 'found.append(show(row, width=4))', 'if strict in (2,):'],
    loop: ['for row in __import__("itertools").islice((rows), 1):', 'while len(found) > 9: found.pop(); break'],
  },
  silent: [
    '"""What the module is for: 3."""',
    'import os',
    '"""Picks rows: 7."""',
    '# é𝒳: a comment of 5',
    'least: "int" = ',
    'LOG.info("picked 6")',
  ],
  idle: ['# 𝒳\n'],
  rewritten: [
    'if not (row < least):',
    'return ((None) if not (found == rows) else ([one for one in found]))',
    'found_own = []',
    'raise ValueError(("reworded: " + ("no rows: 8")))',
  ],
});
