import type { Ecosystem } from '../../../ecosystems/ecosystem.ts';
import { ECOSYSTEMS } from '../../../ecosystems/index.ts';
import type { ChangedFile } from '../../../git/changed-files.ts';
import { readCommit, type Commit, type Repository } from '../../../git/repository.ts';
import { unifiedDiff } from '../../../git/unified-diff.ts';
import { choreOf } from '../../../harden/chore.ts';
import { MAX_FILES, pathsOf } from '../../candidate-of-commits.ts';
import { codeKinds, partOf } from '../../parts-of-change.ts';
import { mergeText } from '../../told/merges.ts';
import { knownChanges } from '../../fixes/is-fix.ts';
import { isLinked, type Linked } from './link-of-tests.ts';
import type { WholeBranches } from '../../fixes/whole-branches.ts';

/** Tests are looked for in as many commits after a fix. */
const MAX_DISTANCE = 5;
const KEPT = 256;

/** A commit or a merge on the line of HEAD, against its first parent. */
interface Step {
  commit: string;
  parent: string;
  read: Commit;
  files: readonly ChangedFile[];
}

/** Finds tests that came after their fix, on the line of first parents of HEAD. */
export class LaterTests {
  readonly #repository: Repository;
  readonly #branches: WholeBranches;
  readonly #line: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #steps = new Map<string, Step | null>();

  /** `line`: newest first. */
  constructor(repository: Repository, line: readonly string[], branches: WholeBranches) {
    this.#repository = repository;
    this.#branches = branches;
    this.#line = line;
    this.#places = new Map(line.map((commit, index) => [commit, index]));
  }

  /**
   * Returns the commit that brought the tests of a commit without any: the first one after it that changes tests alone,
   * when it is linked to the fix, and when nothing between them touches the files of either. Null otherwise.
   */
  async of(commit: string): Promise<string | null> {
    const place = this.#places.get(commit);
    const fix = place === undefined ? null : await this.#stepAt(place);
    const ecosystem = fix && fixedAlone(fix);
    if (place === undefined || !fix || !ecosystem) return null;
    const fixed = fix.files
      .filter(({ path }) => partOf(ecosystem)(path) === 'reference')
      .flatMap((file) => pathsOf([file]));
    const touched = new Set<string>();
    for (let distance = 1; distance <= Math.min(MAX_DISTANCE, place); distance += 1) {
      const step = await this.#stepAt(place - distance);
      if (!step) return null;
      const tests = testsAlone(step, ecosystem);
      const paths = pathsOf(step.files);
      if (tests.length > 0) {
        if (tests.some((path) => touched.has(path))) return null;
        const both = [await this.#linked(fix, fixed), await this.#linked(step, tests)] as const;
        return isLinked(...both, distance) ? step.commit : null;
      }
      for (const path of paths) touched.add(path);
      if (fixed.some((path) => touched.has(path))) return null;
    }
    return null;
  }

  async #linked({ commit, parent, read }: Step, paths: readonly string[]): Promise<Linked> {
    const diff = (await unifiedDiff(this.#repository, parent, commit, [...paths])).toString('utf8');
    return { commit, message: read.message, time: read.time, paths, diff };
  }

  /** Null for a merge of other things than one, and for what is too large or not there. */
  async #stepAt(place: number): Promise<Step | null> {
    const commit = this.#line[place] ?? '';
    const known = this.#steps.get(commit);
    if (known !== undefined) return known;
    const read = await readCommit(this.#repository, commit);
    const [parent, ...others] = read.parents;
    const files =
      parent === undefined || (others.length > 0 && !(await this.#branches.isOneThing(commit)))
        ? null
        : await knownChanges(this.#repository, parent, commit);
    const step = parent === undefined || !files || files.length > MAX_FILES ? null : { commit, parent, read, files };
    if (this.#steps.size >= KEPT) this.#steps.clear();
    this.#steps.set(commit, step);
    return step;
  }
}

/** The ecosystem whose code a commit changes without tests, and not as a chore. */
function fixedAlone({ read, files }: Step): Ecosystem | undefined {
  const told = read.parents.length > 1 ? mergeText(read.message) : read.message;
  if (told !== null && choreOf(told)) return undefined;
  const paths = files.map(({ path }) => path);
  const ecosystem = ECOSYSTEMS.find((each) => codeKinds(each, paths).source);
  return ecosystem && paths.every((path) => partOf(ecosystem)(path) !== 'hidden') ? ecosystem : undefined;
}

/** The tests that a commit changes; none when it changes anything else but text for people. */
function testsAlone({ files }: Step, ecosystem: Ecosystem): string[] {
  const part = partOf(ecosystem);
  const paths = files.map(({ path }) => path).filter((path) => part(path) !== null);
  if (paths.some((path) => part(path) !== 'hidden')) return [];
  return files.some(({ path, after }) => after && ecosystem.tests.isTestFile(path)) ? paths : [];
}
