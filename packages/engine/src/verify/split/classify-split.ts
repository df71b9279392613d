import type { SiteLevel, SplitClass, SplitSite, SplitTest } from '@assay/protocol';

/** What a test is, by the levels of its sites. */
export function classOfLevels(levels: readonly SiteLevel[]): SplitClass {
  const has = (level: SiteLevel): boolean => levels.includes(level);
  if (levels.length === 0) return 'no-assert';
  if (has('native')) return has('strong') ? 'mixed' : 'in-process';
  if (has('strong')) return 'split';
  return has('contain') ? 'contain' : has('echo') ? 'echo' : 'weak';
}

/** Whether a test of this class runs stripped: only there something of it is compared outside. */
export const runsStripped = (kind: SplitClass): boolean => kind !== 'in-process' && kind !== 'no-assert';

/** Whether something of a test is compared outside. Others may run beside those. */
export const isComparedOutside = ({ stripped, class: kind }: Pick<SplitTest, 'stripped' | 'class'>): boolean =>
  stripped !== undefined && runsStripped(kind);

/** Says in one line why a test is no `split` test; undefined when it is one. */
export function whyNotSplit(kind: SplitClass, sites: readonly SplitSite[]): string | undefined {
  const natives = sites.filter(({ level }) => level === 'native');
  const [native] = natives;
  switch (kind) {
    case 'split':
      return undefined;
    case 'no-assert':
      return 'it has no assertion: it only shows that nothing is thrown';
    case 'mixed':
    case 'in-process':
      return native === undefined
        ? 'nothing of it can be compared outside'
        : `line ${native.line} is compared inside: ${native.why ?? 'no reason known'}`.slice(0, 500);
    default:
      return `${sites.length === 1 ? 'its assertion' : 'each assertion'} can be guessed: ${sites[0]?.why ?? kind}`.slice(
        0,
        500,
      );
  }
}

/** Counts tests by class, for one line to a person. */
export function countClasses(tests: readonly Pick<SplitTest, 'class'>[]): string {
  const counts = new Map<SplitClass, number>();
  for (const test of tests) counts.set(test.class, (counts.get(test.class) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}
