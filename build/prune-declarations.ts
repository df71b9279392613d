import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rewriteSpecifiers } from './rewrite-specifiers.ts';

/**
 * Deletes the declarations that none of `entries` leads to. Throws when what is left needs the types of a package that
 * users may not have.
 */
export function pruneDeclarations(out: string, entries: readonly string[], dependencies: Record<string, string>): void {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const specifier of specifiersOf(join(out, path))) {
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier).replace(/\.js$/, '.d.ts'));
      else if (!specifier.startsWith('node:') && !(packageOf(specifier) in dependencies))
        throw new Error(`${path}: its types need ${specifier}`);
    }
  };
  for (const entry of entries) visit(join(entry));
  for (const path of globSync('lib/**/*.d.ts', { cwd: out })) if (!reached.has(path)) rmSync(join(out, path));
}

function specifiersOf(path: string): string[] {
  const found: string[] = [];
  rewriteSpecifiers(path, readFileSync(path, 'utf8'), (specifier) => {
    found.push(specifier);
    return specifier;
  });
  return found;
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
