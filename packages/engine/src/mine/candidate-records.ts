import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from '@assay/files/atomic-write';
import { AssayError, CandidateRecord } from '@assay/protocol';

export const RECORDS = 'candidates.jsonl';

/** Adds a line to the `candidates.jsonl` of a dataset. */
export function appendRecord(directory: string, record: CandidateRecord): void {
  appendFileSync(join(directory, RECORDS), `${JSON.stringify(withoutPlaces(record))}\n`);
}

/** Reads the last record of each candidate, in the order in which they came; lines that are none are passed over. */
export async function readRecords(directory: string): Promise<CandidateRecord[]> {
  const text = await readFile(join(directory, RECORDS), 'utf8').catch(() => '');
  const records = new Map<string, CandidateRecord>();
  for (const line of text.split('\n')) {
    const record = parseRecord(line);
    if (!record) continue;
    const key = JSON.stringify([record.source, record.pipeline, record.candidate]);
    records.delete(key);
    records.set(key, record);
  }
  return [...records.values()];
}

/** Leaves one line for each candidate. */
export async function compactRecords(directory: string): Promise<void> {
  const records = await readRecords(directory);
  if (records.length > 0)
    await writeAtomic(join(directory, RECORDS), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/**
 * Returns the record of a candidate by its name or by the first digits of its commit, else of one that is a part of it. Throws `BAD_OPTION` for one that
 * no run into this directory came to, and for an abbreviation of several.
 */
export async function findRecord(directory: string, name: string): Promise<CandidateRecord> {
  const records = await readRecords(directory);
  const isCommit = /^[0-9a-f]{4,40}$/i.test(name);
  const isMeant = (commit: string | undefined): boolean => isCommit && commit?.startsWith(name.toLowerCase()) === true;
  const named = records.filter(({ candidate }) => candidate === name);
  const own = named.length > 0 ? named : records.filter(({ commit }) => isMeant(commit));
  const found = own.length > 0 ? own : records.filter(({ brought = [], tests }) => [...brought, tests].some(isMeant));
  const [record, another] = found;
  if (record && !another) return record;
  const option = `--explain ${name}`;
  if (another)
    throw new AssayError('BAD_OPTION', { option, detail: `it stands for ${found.length} candidates of ${directory}` });
  const detail =
    records.length === 0
      ? `${directory} has no ${RECORDS}, as no run into it came to a candidate`
      : `none of the ${records.length} candidates of ${directory} is called so`;
  throw new AssayError('BAD_OPTION', { option, detail });
}

function parseRecord(line: string): CandidateRecord | null {
  if (line === '') return null;
  try {
    return CandidateRecord.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Datasets are passed on: what this machine was at fault for may name places of it. */
function withoutPlaces(record: CandidateRecord): CandidateRecord {
  if (record.outcome !== 'deferred') return record;
  const { detail: _detail, ...rest } = record;
  return { ...rest, evidence: [] };
}
