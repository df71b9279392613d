import type { Merge, Merges } from '../../git/merges.ts';
import { readCommit, type Repository } from '../../git/repository.ts';
import { rejectionOf } from '../candidate.ts';
import { MAX_FILES } from '../candidate-of-commits.ts';
import { mergesMaintained } from '../told/merges.ts';
import { ecosystemOfFix, knownChanges } from './is-fix.ts';

/** More commits than a branch for one thing has. */
const MAX_COMMITS = 20;
const PULL = /\((?:[\w.-]+\/[\w.-]+)?[#!](\d+)\)\s*$/;

/** Tells which merges are one fix of several commits, each decided once. */
export class WholeBranches {
  readonly #repository: Repository;
  readonly #merges: Merges;
  readonly #decided = new Map<string, Promise<boolean>>();

  constructor(repository: Repository, merges: Merges) {
    this.#repository = repository;
    this.#merges = merges;
  }

  /** The commits that a merge brought, oldest first, when they are one fix; else null. */
  async at(merge: string): Promise<readonly string[] | null> {
    const found = this.#merges.byName.get(merge);
    if (!found?.branch) return null;
    const decided = this.#decided.get(merge) ?? this.#decide(found);
    this.#decided.set(merge, decided);
    return (await decided) ? found.branch : null;
  }

  /** The merge of which a commit is a part. */
  async holding(commit: string): Promise<string | null> {
    const merge = this.#merges.byCommit.get(commit)?.merge;
    return merge !== undefined && (await this.at(merge)) ? merge : null;
  }

  /** Whether a merge brought a line of commits for one thing, whatever they change. */
  async isOneThing(merge: string): Promise<boolean> {
    const branch = this.#merges.byName.get(merge)?.branch;
    if (!branch || branch.length === 0 || branch.length > MAX_COMMITS) return false;
    try {
      const { message } = await readCommit(this.#repository, merge);
      return !mergesMaintained(message) && !(await this.#isOfSeveral(branch));
    } catch (error) {
      if (rejectionOf(error)?.reason === 'missing_objects') return false;
      throw error;
    }
  }

  async #decide({ merge, branch }: Merge): Promise<boolean> {
    if (!branch || branch.length < 2 || !(await this.isOneThing(merge))) return false;
    const [base] = (await readCommit(this.#repository, merge)).parents;
    const files = base === undefined ? null : await knownChanges(this.#repository, base, merge);
    return files !== null && files.length <= MAX_FILES && ecosystemOfFix(files) !== undefined;
  }

  /** Whether commits came from different pull requests, which were looked at one by one. */
  async #isOfSeveral(branch: readonly string[]): Promise<boolean> {
    const pulls = new Set<string>();
    for (const commit of branch) {
      const { message } = await readCommit(this.#repository, commit);
      const number = PULL.exec(message.trim().split('\n', 1)[0] ?? '')?.[1];
      if (number !== undefined) pulls.add(number);
    }
    return pulls.size > 1;
  }
}
