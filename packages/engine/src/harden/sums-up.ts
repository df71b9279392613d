const COUNT =
  '(?:two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}|several|various|numerous|multiple|many|some|assorted|misc(?:ellaneous|\\.)?|a (?:few|couple of|bunch of|number of|lot of)|lots of|more|minor|small|other|further)';
const CHANGES =
  '(?:(?:bug ?)?fix(?:es)|fixups?|improvements?|tweaks|enhancements|changes|corrections|bugs|issues|problems|edge[- ]cases)';

/** Subjects that sum up. */
const SUMS = [
  new RegExp(
    `^(?:[\\w./ -]{1,40}: )?(?:fix(?:e[sd])? |add(?:s|ed)? )?${COUNT} (?:[\\w/\`'-]+ ){0,4}${CHANGES}\\b`,
    'i',
  ),
  new RegExp(`: ${COUNT} (?:[\\w/\`'-]+ ){0,4}${CHANGES}$`, 'i'),
  new RegExp(`^(?:bug ?)?fixes (?:and|&|\\+) (?:improvements|enhancements|tweaks|features|more)\\b`, 'i'),
  /\b(?:hardening|bug|fix|correctness) sweep\b/i,
];

/**
 * Whether the subject of a commit says that it is several changes: what it goes on to tell of them is a part, and tests
 * ask for all of them.
 */
export function sumsUp(message: string): boolean {
  const [subject = ''] = message.trimStart().split('\n', 1);
  const plain = subject
    .replace(/^(?:(?:\[[^\]]{1,20}\]|\w{1,20}(?:\([^)]*\))?!?:)\s+)+/, '')
    .slice(0, 300)
    .trim();
  return SUMS.some((pattern) => pattern.test(plain));
}
