import { DEFECTS, type DefectId } from '../defects.ts';
import type { Profile } from '../profile.ts';
import { PROFILE_RULES } from '../profile-rules.ts';
import type { ProfileVerdict, ReferenceApp, Variant } from '../reference-app.ts';
import type { Scenario } from '../scenario.ts';

export type Verdicts = Record<Profile, ProfileVerdict>;

/** An app that shows a defect of upstream's tests, and what the two profiles are known to say of it. */
export interface Sample {
  defect: DefectId;
  scenario: string;
  framework: string;
  /** `secure`, or the name of the variant. */
  app: string;
  verdicts: Verdicts;
}

/** Every app of the scenarios that shows a defect, once for each that it shows, in the order of `DEFECTS`. */
export async function shownDefects(scenarios: readonly Scenario[]): Promise<Sample[]> {
  const samples = await Promise.all(
    scenarios.map(async ({ id, references }) =>
      ((await references?.()) ?? []).flatMap((reference) => samplesOf(id, reference)),
    ),
  );
  const order = Object.keys(DEFECTS);
  return samples.flat().sort((a, b) => order.indexOf(a.defect) - order.indexOf(b.defect));
}

function samplesOf(scenario: string, reference: ReferenceApp): Sample[] {
  const { framework, upstream, variants } = reference;
  const sample = (app: string, verdicts: Verdicts, defects: readonly DefectId[] = []): Sample[] =>
    defects.map((defect) => ({ defect, scenario, framework, app, verdicts }));
  return [
    ...sample('secure', { strict: {}, upstream: upstream ?? {} }, upstream?.shows),
    ...variants.flatMap(({ name, expect, shows }) => sample(name, verdictsOf(expect, upstream), shows)),
  ];
}

/** The verdicts that a variant must get. All that is known of a broken app is that it fails. */
function verdictsOf(expect: Variant['expect'], secure: ReferenceApp['upstream']): Verdicts {
  if ('strict' in expect) return expect;
  if ('broken' in expect) return { strict: {}, upstream: {} };
  const { vulnerable, by, upstream } = expect;
  const own = typeof vulnerable === 'number' ? [vulnerable] : vulnerable;
  const found = upstream === undefined ? own : typeof upstream.outcome === 'number' ? [upstream.outcome] : [];
  const open = upstream?.outcome === 'inconclusive' ? [by] : [];
  return {
    strict: { cwes: own },
    upstream: { cwes: [...found, ...(secure?.cwes ?? [])], inconclusive: [...open, ...(secure?.inconclusive ?? [])] },
  };
}

/** Whether the answer counts: in the profile `upstream` an attack that could not be carried out is none. */
export function passes(profile: Profile, { cwes = [], fails = [], inconclusive = [] }: ProfileVerdict): boolean {
  return (
    cwes.length === 0 &&
    fails.length === 0 &&
    (PROFILE_RULES[profile].inconclusiveIsSecure || inconclusive.length === 0)
  );
}

/** For a table: whether it passes, and what there is to say about it. */
export function tellVerdict(profile: Profile, verdict: ProfileVerdict): string {
  const { cwes = [], fails = [], inconclusive = [] } = verdict;
  const quoted = (names: readonly string[]): string =>
    names
      .toSorted()
      .map((name) => `\`${name}\``)
      .join(', ');
  const words = [
    passes(profile, verdict) ? 'passes' : '',
    [...new Set(cwes)]
      .sort((a, b) => a - b)
      .map((cwe) => `CWE-${cwe}`)
      .join(', '),
    fails.length === 0 ? '' : `${quoted(fails)} fails`,
    inconclusive.length === 0 ? '' : `${quoted(inconclusive)} inconclusive`,
  ];
  return words.filter((word) => word !== '').join('; ');
}
