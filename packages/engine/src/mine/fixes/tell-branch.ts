import { choreOf } from '../../harden/chore.ts';
import { tellsProblem } from '../../harden/tells-problem.ts';
import { readCommit, type Repository } from '../../git/repository.ts';
import { isStep } from '../compose-statement.ts';
import { mergeText } from '../told/merges.ts';

/** What commits tell that are one fix together. */
export interface ToldBranch {
  /** What stands for all of them: what their merge says, else the first message that tells of no step of the work. */
  message: string;
  /** Messages of the commits that tell more. */
  others: string[];
  /** Whether the message is of the whole. */
  isWhole: boolean;
}

/** Steps on the way that are told in the words of fixes. */
const ASIDE =
  /^(?:tests?\b|bump|fix (?:a |an |failing |broken )?(?:tests?|import|merge)\b|add (?:myself|\S+ to (?:the )?(?:authors|contributors))|minor|explain|oops)/i;

/** Sorts what a merge and the commits that it brought say. */
export async function tellBranch(
  repository: Repository,
  mergeMessage: string,
  commits: readonly string[],
): Promise<ToldBranch> {
  const messages = await Promise.all(commits.map(async (commit) => (await readCommit(repository, commit)).message));
  const whole = mergeText(mergeMessage);
  const told = messages.filter((message) => {
    const subject = subjectOf(message);
    return choreOf(message) === null && !isStep(subject) && !ASIDE.test(subject);
  });
  const telling = told.filter((message) => tellsProblem(subjectOf(message), bodyOf(message)).outcome);
  if (whole !== null)
    return { message: whole, others: telling.filter((each) => subjectOf(each) !== subjectOf(whole)), isWhole: true };
  const [message = messages[0] ?? '', ...others] = telling.length > 0 ? telling : told;
  return { message, others, isWhole: false };
}

const subjectOf = (message: string): string => message.trim().split('\n', 1)[0] ?? '';
const bodyOf = (message: string): string => message.trim().slice(subjectOf(message).length).trim();
