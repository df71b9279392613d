import { prepare, rowOf, satisfies, TimeLimitError, withTimeLimit } from './comparison.mjs';
import { Decoder } from './decode-value.mjs';
import { readObservations } from './read-observations.mjs';
import { splitStripped } from './stripped-id.mjs';

const TIME_OF_SITE_MS = 1000;
const TIME_OF_ALL_MS = 120_000;

/** Answers an `EvaluateRequest`. */
export async function evaluateRun({ plan, observations }) {
  await prepare(plan.expectations);
  const { functions, sites } = plan.expectations;
  const stripped = new Map(
    plan.tests.filter((test) => test.stripped !== undefined).map((test) => [test.stripped, test]),
  );
  const { groups, problems } = readObservations(observations, { functions, sites, stripped });
  const budget = { leftMs: TIME_OF_ALL_MS };
  const tests = {};
  for (const [id, test] of stripped) {
    const seen = groups.get(id);
    if (seen === undefined && Object.keys(test.sites ?? {}).length === 0) continue;
    const outcomes = {};
    for (const [site, group] of seen ?? [])
      outcomes[site] = outcomeOf(sites[site], group, { row: rowFor(functions, id), budget });
    const why = reasonAgainst(test.sites ?? {}, outcomes);
    define(tests, test.id, { sites: outcomes, ...(why === undefined ? {} : { why }) });
  }
  return { tests, problems };
}

function define(target, name, value) {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

function rowFor(functions, id) {
  const { base, rows } = splitStripped(id);
  return rowOf(functions[base], rows);
}

/** Every observation of a site has to hold. The same one is compared once. */
function outcomeOf(site, { count, different }, { row, budget }) {
  const decoder = new Decoder();
  const started = performance.now();
  const check = () => {
    for (const { kind, leaves } of different) {
      decoder.reset();
      const values = leaves.map((leaf) => decoder.decode(leaf));
      if (decoder.isCapped) return { outcome: 'undecidable', detail: 'the value is too large, or cannot be read' };
      if (satisfies(site, { kind, leaves: values, row })) continue;
      return decoder.isOpaque
        ? { outcome: 'undecidable', detail: 'the value needs code of the submission' }
        : { outcome: 'false' };
    }
    return { outcome: 'true' };
  };
  try {
    return { count, ...withTimeLimit(Math.min(TIME_OF_SITE_MS, budget.leftMs), check) };
  } catch (error) {
    const detail = error instanceof TimeLimitError ? error.message : `${error?.name}: ${error?.message}`;
    return { count, outcome: 'error', detail: detail.slice(0, 300) };
  } finally {
    budget.leftMs -= performance.now() - started;
  }
}

function reasonAgainst(required, outcomes) {
  for (const [site, often] of Object.entries(required)) {
    const seen = Object.hasOwn(outcomes, site) ? outcomes[site] : undefined;
    if (seen === undefined) return `site ${site} was not reached`;
    if (often === 'once' && seen.count !== 1) return `site ${site} was reached ${seen.count} times`;
  }
  for (const [site, { outcome, detail }] of Object.entries(outcomes))
    if (outcome !== 'true') return `site ${site}: ${outcome}${detail === undefined ? '' : ` (${detail})`}`;
  return undefined;
}
