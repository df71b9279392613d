import type { OsvRecord } from './osv-record.ts';

/** Records that speak of one vulnerability. */
export interface Advisory {
  /** Of all records and aliases, sorted. */
  ids: string[];
  records: OsvRecord[];
}

/** Puts records together whose ids or aliases meet, directly or over others: GHSA, PYSEC and CVE of one thing become one. */
export function mergeAliases(records: readonly OsvRecord[]): Advisory[] {
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next;
    parents.set(id, root);
    return root;
  };
  const named = (record: OsvRecord): string[] => [record.id, ...record.aliases].map((id) => id.toUpperCase());
  for (const record of records)
    for (const id of named(record)) parents.set(rootOf(id), rootOf(record.id.toUpperCase()));
  const groups = Map.groupBy(records, (record) => rootOf(record.id.toUpperCase()));
  return [...groups.values()].map((group) => ({
    ids: [...new Set(group.flatMap((record) => [record.id, ...record.aliases]))].sort(),
    records: group,
  }));
}

/** The words of the record that says most: one with a summary before one without, then the longest. */
export function wordsOf({ records }: Advisory): { summary: string; details: string } {
  const all = records.map(({ summary, details }) => ({ summary: summary ?? '', details: details ?? '' }));
  const [best] = all.sort(
    (a, b) => Number(b.summary !== '') - Number(a.summary !== '') || b.details.length - a.details.length,
  );
  return best ?? { summary: '', details: '' };
}

/** What an advisory names that leads to the fix: ids, versions, commits, people. */
export function identifiersOf({ ids, records }: Advisory): string[] {
  const events = records.flatMap((record) =>
    record.affected.flatMap(({ ranges }) =>
      ranges.flatMap((range) => range.events.flatMap(Object.values<string | undefined>)),
    ),
  );
  const people = records.flatMap((record) => record.credits.map(({ name }) => name));
  return [
    ...new Set([
      ...ids,
      ...events.filter((value) => value !== undefined).filter((value) => value.length > 2),
      ...people,
    ]),
  ];
}
