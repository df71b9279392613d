/**
 * Whether a version specifier (PEP 440, or poetry's carets and `||`) allows some release of Python 3.`minor`. Clauses
 * that cannot be parsed count as allowing: the resolver has the last word.
 */
export function allowsSeries(specifier: string, minor: number): boolean {
  return specifier
    .split('||')
    .some((alternative) => alternative.split(',').every((clause) => allowsClause(clause.trim(), minor)));
}

function allowsClause(clause: string, minor: number): boolean {
  const match = /^(===|==|~=|!=|>=|<=|>|<|\^|~|)\s*v?(\d+)(?:\.(\d+|\*))?(?:\.(\d+|\*))?/.exec(clause);
  if (!match) return true;
  const [, operator, majorText, minorText, patchText] = match;
  const wholeMajor = minorText === undefined || minorText === '*';
  const order = compareSeries(minor, Number(majorText), wholeMajor ? 0 : Number(minorText));
  const patch = patchText === undefined || patchText === '*' ? null : Number(patchText);
  switch (operator) {
    case '>=':
      return order >= 0;
    // `> 3.7.1` allows later patches of 3.7, and so does `> 3.7`: 3.7.1 is above it.
    case '>':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '<':
      return order < 0 || (order === 0 && patch !== null && patch > 0);
    case '!=':
      return order !== 0 || wholeMajor || patch !== null;
    case '^':
      return order >= 0 && Number(majorText) === 3;
    case '~=':
      return patchText === undefined ? order >= 0 && Number(majorText) === 3 : order === 0;
    default:
      return wholeMajor ? Number(majorText) === 3 : order === 0;
  }
}

function compareSeries(minor: number, otherMajor: number, otherMinor: number): number {
  return otherMajor === 3 ? minor - otherMinor : 3 - otherMajor;
}
