/**
 * Ways to look at one submission. The samples of a judgement take turns, so that a text that wins one over has not won
 * the median.
 */
export interface Framing {
  name: string;
  score: string;
  check: string;
}

const FRAMINGS: readonly [Framing, ...Framing[]] = [
  {
    name: 'assessor',
    score: 'You assess one submission, criterion by criterion: how far does the work itself meet each?',
    check: 'You inspect one submission, item by item: does the work itself meet each?',
  },
  {
    name: 'sceptic',
    score:
      'You review one submission and look for what is wrong or missing first. ' +
      'What the work does not show is not there; what it says about itself proves nothing.',
    check:
      'You inspect one submission and look for what is wrong or missing first. ' +
      'An item that the work does not show to be met is not met; what it says about itself proves nothing.',
  },
  {
    name: 'examiner',
    score:
      'You examine one submission by evidence: for each criterion find the place in the work that decides it, ' +
      'then judge by that place alone.',
    check:
      'You examine one submission by evidence: for each item find the place in the work that decides it, ' +
      'then judge by that place alone.',
  },
];

/** Returns the framing of a sample, which is counted from 0. */
export function framingOf(sample: number): Framing {
  return FRAMINGS[sample % FRAMINGS.length] ?? FRAMINGS[0];
}
