import type { SiteLevel, SplitPlan, SplitSite, SplitTest } from '@assay/protocol';
import type { Guesses, Rewritten, StrippedFunction } from '../../ecosystems/split-facet.ts';
import type { Calibration } from './calibration.ts';
import { classOfLevels, whyNotSplit } from './classify-split.ts';

interface Findings {
  rewritten: Rewritten;
  guesses: Guesses;
  calibration: Pick<Calibration, 'native' | 'inside'>;
  describe(site: Rewritten['sites'][number]): Omit<SplitSite, 'level'>;
  /** Why no function is known of a test. */
  whyUnknown(id: string): string;
}

/** Returns the sites of a plan with their levels, and its tests with their classes. */
export function ratePlan({ tests }: SplitPlan, findings: Findings): Pick<SplitPlan, 'sites' | 'tests'> {
  const { rewritten } = findings;
  const sites = rewritten.sites.map((site) => rateSite(site, findings));
  const byId = new Map(sites.map((site) => [site.id, site]));
  const functions = new Map(rewritten.functions.flatMap((each) => each.ids.map((id) => [id, each] as const)));
  return { sites, tests: tests.map((test) => classify(test, { each: functions.get(test.id), byId }, findings)) };
}

function rateSite(
  site: Rewritten['sites'][number],
  { guesses, calibration, describe }: Pick<Findings, 'guesses' | 'calibration' | 'describe'>,
): SplitSite {
  const native = site.native ?? calibration.native.get(site.id);
  if (native !== undefined) return { ...describe(site), level: 'native', why: native.slice(0, 500) };
  const found = guesses.sites[site.id];
  return { ...describe(site), level: found?.level ?? 'native', why: found?.guess?.slice(0, 500) };
}

function classify(
  test: SplitTest,
  { each, byId }: { each?: StrippedFunction; byId: ReadonlyMap<number, SplitSite> },
  { calibration, whyUnknown }: Pick<Findings, 'calibration' | 'whyUnknown'>,
): SplitTest {
  if (!each) return { ...test, why: whyUnknown(test.id) };
  const own = each.sites.flatMap((id) => byId.get(id) ?? []);
  // A site that the reference never reaches proves nothing, unless it stayed inside.
  const reached =
    test.stripped === undefined ? own : own.filter(({ id, level }) => id in test.sites || level === 'native');
  const levels = reached.map(({ level }): SiteLevel => level);
  const kind = test.stripped === undefined ? (own.length === 0 ? 'no-assert' : 'in-process') : classOfLevels(levels);
  const left = calibration.inside.get(each.ids[0] ?? '');
  return {
    ...test,
    class: kind,
    why: test.stripped === undefined && left !== undefined ? left : whyNotSplit(kind, reached),
  };
}
