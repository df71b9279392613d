import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import { ECOSYSTEMS } from '../ecosystems/index.ts';
import { PROSE } from '../ecosystems/prose.ts';
import { steeringMatcher } from '../verify/compose-verifier-tree.ts';

export interface CodeKinds {
  source: boolean;
  test: boolean;
}

/** Lists the kinds of an ecosystem's own code at some paths. */
export function codeKinds(ecosystem: Ecosystem, paths: readonly string[]): CodeKinds {
  const kinds = new Set(paths.filter((path) => ecosystem.codeFiles.test(path)).map((path) => ecosystem.classify(path)));
  return { source: kinds.has('source'), test: kinds.has('test') };
}

/** Returns the ecosystem whose code a change mends and tests; else one whose code it mends; else undefined. */
export function ecosystemOfChange(paths: readonly string[]): Ecosystem | undefined {
  const both = ECOSYSTEMS.find((each) => {
    const { source, test } = codeKinds(each, paths);
    return source && test;
  });
  return both ?? ECOSYSTEMS.find((each) => codeKinds(each, paths).source);
}

export type Part = 'reference' | 'steering' | 'hidden';

/** Returns a function that sorts paths into the parts of a candidate: solving, steering, testing; null for prose. */
export function partOf(ecosystem: Ecosystem): (path: string) => Part | null {
  const steers = steeringMatcher(ecosystem.steering);
  return (path) => {
    const kind = ecosystem.classify(path);
    if (kind === 'test') return 'hidden';
    if (steers(path)) return 'steering';
    return kind === 'source' || !PROSE.test(path) ? 'reference' : null;
  };
}
