import type { PipelineNotes } from '@assay/protocol';
import { ECOSYSTEMS } from '../../../ecosystems/index.ts';

/** Languages by the endings of their files. Those of a registered ecosystem are never counted as unsupported. */
const LANGUAGES: Readonly<Record<string, string>> = {
  c: 'C',
  h: 'C',
  cc: 'C++',
  cpp: 'C++',
  cxx: 'C++',
  hpp: 'C++',
  clj: 'Clojure',
  cs: 'C#',
  dart: 'Dart',
  ex: 'Elixir',
  exs: 'Elixir',
  erl: 'Erlang',
  fs: 'F#',
  go: 'Go',
  groovy: 'Groovy',
  hs: 'Haskell',
  java: 'Java',
  jl: 'Julia',
  kt: 'Kotlin',
  lua: 'Lua',
  m: 'Objective-C',
  ml: 'OCaml',
  nim: 'Nim',
  php: 'PHP',
  pl: 'Perl',
  pm: 'Perl',
  r: 'R',
  rb: 'Ruby',
  rs: 'Rust',
  scala: 'Scala',
  sh: 'Shell',
  swift: 'Swift',
  zig: 'Zig',
};
/** Languages seen in a smaller share of the commits are told only when nothing was found. */
const WORTH_TELLING = 0.1;
const MOST_TOLD = 3;

/** Counts what a walk through a history meets. */
export class WalkNotes {
  #walked = 0;
  #found = 0;
  #repeated = 0;
  #merges = 0;
  #merged = 0;
  #testedLater = 0;
  readonly #unsupported = new Map<string, number>();

  /** Counts a commit by the paths that it changes. */
  walked(paths: readonly string[]): void {
    this.#walked += 1;
    const names = paths.flatMap((path) => unsupportedLanguage(path) ?? []);
    for (const name of new Set(names)) this.#unsupported.set(name, (this.#unsupported.get(name) ?? 0) + 1);
  }

  /** Counts a candidate; `brought` is the number of commits that it stands for as a merge. */
  found({ brought = 0, isTestedLater = false }: { brought?: number; isTestedLater?: boolean } = {}): void {
    this.#found += 1;
    if (isTestedLater) this.#testedLater += 1;
    if (brought < 2) return;
    this.#merges += 1;
    this.#merged += brought;
  }

  /** Counts a commit whose change a candidate has already. */
  repeated(): void {
    this.#repeated += 1;
  }

  toPipelineNotes(): PipelineNotes {
    const told = [...this.#unsupported]
      .filter(([, count]) => this.#found === 0 || count >= WORTH_TELLING * this.#walked)
      .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
      .slice(0, MOST_TOLD);
    const languages = told.map(([name, count]) => `${name} files (${inWords(count)}): not supported`);
    const repeats = this.#repeated === 0 ? [] : [`${inWords(this.#repeated)} with the change of another`];
    const merges =
      this.#merges === 0 ? [] : [`${inWords(this.#merged)} taken together by ${inWords(this.#merges, 'merge')}`];
    const parts = [
      `${inWords(this.#walked)} walked`,
      `${this.#found.toLocaleString('en')} with code and tests of a known language`,
      ...(this.#testedLater === 0 ? [] : [`${inWords(this.#testedLater)} with tests of a later one`]),
      ...merges,
      ...repeats,
      ...languages,
    ];
    const counts = {
      walked: this.#walked,
      found: this.#found,
      repeated: this.#repeated,
      merges: this.#merges,
      merged: this.#merged,
    };
    return { text: parts.join(', '), counts, leftOut: [] };
  }
}

const inWords = (count: number, thing = 'commit'): string =>
  `${count.toLocaleString('en')} ${count === 1 ? thing : `${thing}s`}`;

function unsupportedLanguage(path: string): string | null {
  const ending = /\.([A-Za-z]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const name = Object.hasOwn(LANGUAGES, ending) ? (LANGUAGES[ending] ?? null) : null;
  return name !== null && ECOSYSTEMS.some(({ codeFiles }) => codeFiles.test(path)) ? null : name;
}
