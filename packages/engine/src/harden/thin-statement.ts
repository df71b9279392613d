const EMPTY_WORDS = new Set(
  `a an the of to in on at by for from with and or nor but if so as is are was were be been being it its this that these those there here then than when while where which who what how why
  do does did done not no also only just all any some each every more most other such same own too very can could may might must shall should will would we you i they he she our your their my
  fix fixes fixed fixing bug bugs bugfix bugfixes hotfix issue issues problem problems error errors minor small tiny misc miscellaneous various several stuff thing things change changes changed update updates updated updating
  test tests testing tested code codes typo typos cleanup clean up refactor refactored refactoring improve improves improved improvement improvements better add adds added adding remove removes removed
  make makes made use uses used using handle handles handled handling support correct corrects corrected correctly proper properly case cases edge wip work works working review comments feedback
  file files method function class module tweak tweaks tweaked adjust adjusts lint linting format formatting style merge revert regression correctness broken behavior behaviour`.split(
    /\s+/,
  ),
);
/**
 * With fewer different meaningful words, a text does not say what happens, where and when. One less is enough if a name
 * is among them.
 */
const MIN_MEANINGFUL = 5;
const MIN_WORDS = 5;

/** Whether a title and a body say too little to work from: what is wrong, with what, in which situation. */
export function isThin(title: string, body: string): boolean {
  const text = `${title} ${body.replace(/```[\s\S]*?```/g, (block) => block.slice(0, 600))}`;
  const words = text.match(/[A-Za-z_$][\w$']*|\d+/g) ?? [];
  if (words.length < MIN_WORDS) return true;
  const meaningful = new Set(words.filter(isMeaningful).map((word) => word.toLowerCase()));
  const hasName = /[a-z][A-Z]|\w_\w|\w\(\)|\w\.[a-z_]\w|`[^`]+`/.test(title);
  return meaningful.size < (hasName ? MIN_MEANINGFUL - 1 : MIN_MEANINGFUL);
}

/** A word in capitals is a name, whatever it means in lower case: `INTO`, `AS`. */
function isMeaningful(word: string): boolean {
  if (word.length < 2 || /^\d+$/.test(word)) return false;
  return /^[A-Z]{2,}$/.test(word) || !EMPTY_WORDS.has(word.toLowerCase());
}
