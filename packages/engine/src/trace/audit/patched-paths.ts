const HEADER = /^(?:\*\*\* (?:Update|Add|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b\/)?)([^\t\n]+)/gm;

/** The files that a patch changes, of either kind that agents write. */
export function patchedPaths(text: string): string[] {
  return [...text.matchAll(HEADER)].map(([, path = '']) => path.trim()).filter((path) => path !== '/dev/null');
}
