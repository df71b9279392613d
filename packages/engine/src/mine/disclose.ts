import type { SplitSite } from '@assay/protocol';
import type { SplitOracle } from '../bundle/split-oracle.ts';
import { readT0Tokens } from '../harden/t0-tokens.ts';
import { undisclosedSymbols, type Undisclosed } from '../harden/undisclosed-symbols.ts';
import type { Built } from './2-build.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { interfaceLine } from './interface-line.ts';
import type { MineContext } from './mine-context.ts';
import type { Statement, Told } from './statement.ts';

/** What becomes of the demands of hidden tests beyond an instruction. */
export interface Disclosed {
  statement: Statement;
  /** Sites whose exceptions are to be compared by their class alone. */
  relaxed: number[];
}

/**
 * Has the instruction tell what hidden tests demand and nobody could know from it or from T0; or, by the policy of the
 * context, compares exceptions by their class where their words are such a demand. Throws `undisclosed_symbol` where
 * the policy rejects, and where it cannot be told.
 */
export async function disclose(
  candidate: Candidate,
  { built, told, split }: { built: Pick<Built, 't0Directory'>; told: Told; split: SplitOracle | null },
  { specificity }: Pick<MineContext, 'specificity'>,
): Promise<Disclosed> {
  const demands = undisclosedSymbols({
    reference: candidate.reference,
    tests: candidate.hidden,
    t0Directory: built.t0Directory,
    t0Tokens: await readT0Tokens(built.t0Directory),
    instruction: `${told.title}\n${told.body}`,
    ecosystem: candidate.ecosystem,
  });
  const relaxed = specificity === 'relax' ? messagesOutside(demands, split) : new Map<Undisclosed, number[]>();
  const rest = demands.filter((demand) => !relaxed.has(demand));
  const [first] = rest;
  if (first && (specificity === 'reject' || interfaceLine(rest) === null)) {
    throw new Rejection(
      'undisclosed_symbol',
      `${rest.length} demanded, such as the ${first.kind} ${JSON.stringify(first.text.slice(0, 80))}`,
    );
  }
  return { statement: { ...told, disclosed: rest }, relaxed: [...new Set([...relaxed.values()].flat())] };
}

/** Demands that are nothing but words of exceptions which are compared outside, with the sites that compare them. */
function messagesOutside(demands: readonly Undisclosed[], split: SplitOracle | null): Map<Undisclosed, number[]> {
  const sites = new Map<string, SplitSite>();
  for (const site of split?.plan.sites ?? [])
    if (site.messageLine !== undefined && site.level !== 'native') sites.set(`${site.file}:${site.messageLine}`, site);
  const found = new Map<Undisclosed, number[]>();
  for (const demand of demands) {
    const own = demand.kind === 'name' ? [] : demand.everywhere.map((where) => sites.get(where));
    const ids = own.flatMap((site) => site?.id ?? []);
    if (ids.length > 0 && ids.length === own.length) found.set(demand, ids);
  }
  return found;
}

/** Throws `undisclosed_symbol` when a site does not stand outside any more once it compares classes alone. */
export function requireOutside(split: SplitOracle | null, relaxed: readonly number[]): void {
  const outside = new Set(split?.plan.sites.flatMap(({ id, level }) => (level === 'native' ? [] : [id])));
  if (relaxed.some((id) => !outside.has(id)))
    throw new Rejection('undisclosed_symbol', 'words of an exception are demanded, and its class alone proves nothing');
}
