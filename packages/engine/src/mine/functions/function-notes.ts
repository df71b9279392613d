import type { PipelineNotes } from '@assay/protocol';

/** Functions of a repository that were looked at. */
export interface FunctionsOfHead {
  /** Those that a problem can be made of, best first. */
  found: FoundFunction[];
  /** Public ones. */
  seen: number;
  /** Why the others are none, by number. */
  passedOver: Map<string, number>;
}

export interface FoundFunction {
  path: string;
  name: string;
  /** Places in tests that name it. */
  mentions: number;
}

/** Says what became of the public functions of a repository. */
export function functionNotes({ found, seen, passedOver }: FunctionsOfHead): PipelineNotes {
  const others = [...passedOver].sort(([, a], [, b]) => b - a).map(([why, count]) => `${count} ${why}`);
  const rest = others.length === 0 ? '' : `: ${others.join(', ')}`;
  const text =
    seen === 0
      ? 'no public function in a language that problems can be made of'
      : `${found.length} of ${seen} public functions can be asked for${rest}`;
  return {
    text,
    counts: { functions: seen, candidates: found.length, ...Object.fromEntries(passedOver) },
    leftOut: [],
  };
}
