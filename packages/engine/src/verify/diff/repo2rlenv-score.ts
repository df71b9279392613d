/** The parts of the score that Repo2RLEnv gives a diff (0.8), by its names; null where no model was asked. */
export interface Repo2RlEnvParts {
  format_valid: number;
  size_sanity: number;
  file_targeting: number;
  region_overlap: number;
  similarity: number;
  llm_judge: number | null;
}

const WEIGHTS: Record<keyof Repo2RlEnvParts, number> = {
  format_valid: 0,
  size_sanity: 0.08,
  file_targeting: 0.12,
  region_overlap: 0.2,
  similarity: 0.1,
  llm_judge: 0.5,
};

/** Lines between two hunks of a file that still count as one region. */
const SLACK = 5;
/** A size below this share of the other's keeps the score below the cap. */
const WILD_SIZE = 0.1;
const WILD_CAP = 0.4;

/**
 * Scores a diff as Repo2RLEnv's `pr_diff` does, for figures that compare with its own: a sum of parts, the weight of a
 * missing judge shared out among the others. A wrong change in the right place earns up to 0.95.
 */
export function repo2RlEnvScore(
  oracle: string,
  predicted: string,
  judge: number | null,
): { score: number; parts: Repo2RlEnvParts } {
  const [wanted, made] = [readDiff(oracle), readDiff(predicted)];
  const parts: Repo2RlEnvParts = {
    format_valid: made.files.size > 0 && made.changed > 0 ? 1 : 0,
    size_sanity: ratioOf(wanted.changed, made.changed),
    file_targeting: overlapOf(new Set(wanted.files.keys()), new Set(made.files.keys())),
    region_overlap: regionsOf(wanted.files, made.files),
    similarity: predicted.trim() === '' || wanted.lines.length === 0 ? 0 : similarity(wanted.lines, made.lines),
    llm_judge: judge,
  };
  let sum = 0;
  let weights = 0;
  for (const name of Object.keys(WEIGHTS) as (keyof Repo2RlEnvParts)[]) {
    const part = parts[name];
    if (part === null) continue;
    sum += WEIGHTS[name] * part;
    weights += WEIGHTS[name];
  }
  const score = Math.min(1, Math.max(0, sum / weights));
  return { score: parts.size_sanity < WILD_SIZE ? Math.min(score, WILD_CAP) : score, parts };
}

type Range = readonly [first: number, last: number];

interface ReadDiff {
  /** Ranges of lines after the change, by path. */
  files: Map<string, Range[]>;
  /** Lines removed and added. */
  changed: number;
  /** Those lines, and the names of files. */
  lines: string[];
}

function readDiff(diff: string): ReadDiff {
  const read: ReadDiff = { files: new Map(), changed: 0, lines: [] };
  let ranges: Range[] | undefined;
  for (const line of diff.split('\n')) {
    const path = /^diff --git a\/\S+ b\/(\S+)$/.exec(line)?.[1];
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (path !== undefined) {
      ranges = read.files.get(path) ?? [];
      read.files.set(path, ranges);
    } else if (hunk) {
      const first = Number(hunk[1]);
      ranges?.push([first, first + Math.max(Number(hunk[2] ?? 1) - 1, 0)]);
    } else if (/^(?:---|\+\+\+) /.test(line)) read.lines.push((line.split('\t')[0] ?? '').trim());
    else if (/^[+-]/.test(line)) {
      read.lines.push(line);
      read.changed += 1;
    }
  }
  return read;
}

function ratioOf(one: number, other: number): number {
  if (one === 0 && other === 0) return 1;
  return Math.min(one, other) / Math.max(one, other);
}

function overlapOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  const both = [...one].filter((path) => other.has(path)).length;
  return both === 0 ? 0 : (2 * both) / (one.size + other.size);
}

function regionsOf(wanted: ReadDiff['files'], made: ReadDiff['files']): number {
  const all = [...wanted].flatMap(([path, ranges]) => ranges.map((range) => ({ path, range })));
  if (all.length === 0) return 1;
  const met = all.filter(({ path, range: [first, last] }) =>
    made.get(path)?.some((other) => Math.max(first, other[0]) <= Math.min(last, other[1]) + SLACK),
  );
  return met.length / all.length;
}

/** Lines beyond these are not compared: the work grows with their square. */
const MOST_LINES = 4000;

/** Twice the lines in common by both lengths, where the longest common stretch is taken first, then those beside it. */
function similarity(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [one.slice(0, MOST_LINES), other.slice(0, MOST_LINES)];
  const places = new Map<string, number[]>();
  for (const [index, line] of b.entries()) {
    const known = places.get(line);
    if (known) known.push(index);
    else places.set(line, [index]);
  }
  let matched = 0;
  const open: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  for (let stretch = open.pop(); stretch; stretch = open.pop()) {
    const [aFrom, aTo, bFrom, bTo] = stretch;
    const { at, to, length } = longestCommon(a, places, stretch);
    if (length === 0) continue;
    matched += length;
    open.push([aFrom, at, bFrom, to], [at + length, aTo, to + length, bTo]);
  }
  return a.length + b.length === 0 ? 1 : (2 * matched) / (a.length + b.length);
}

/** The longest common stretch, of those the first in `a`, then in the other. */
function longestCommon(
  a: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [aFrom, aTo, bFrom, bTo]: [number, number, number, number],
): { at: number; to: number; length: number } {
  let best = { at: aFrom, to: bFrom, length: 0 };
  let before = new Map<number, number>();
  for (let index = aFrom; index < aTo; index += 1) {
    const here = new Map<number, number>();
    for (const place of places.get(a[index] ?? '') ?? []) {
      if (place < bFrom || place >= bTo) continue;
      const length = (before.get(place - 1) ?? 0) + 1;
      here.set(place, length);
      if (length > best.length) best = { at: index - length + 1, to: place - length + 1, length };
    }
    before = here;
  }
  return best;
}
