import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { claimDirectory } from '@assay/files/store/lock-directory';
import { listOutput } from '@assay/files/output-place';
import {
  AssayError,
  DatasetLedger,
  type CandidateEnd,
  type CandidateRecord,
  type PipelineNotes,
} from '@assay/protocol';
import { copyBundle } from '../bundle/copy-bundle.ts';
import { readTask } from '../bundle/read-task.ts';
import { appendRecord, compactRecords } from './candidate-records.ts';

const LEDGER = 'dataset.json';
const DRAFT = '.assay-draft-';

/** The candidates that one pipeline found in one repository. */
export interface MinedSource {
  /** URL without credentials, or `local:<name>`. */
  source: string;
  pipeline: string;
  notes?: PipelineNotes;
  /** By which candidates are marked as older, ISO 8601. */
  cutoff?: string;
  ends: readonly CandidateEnd[];
  /** Candidates that another pipeline has taken over: they have no entry here any more. */
  gone?: readonly string[];
}

/** A directory of tasks with the ledger of all candidates. It is ours alone while it is open. */
export interface Dataset {
  /**
   * Puts a proven bundle into the dataset unless it is already there. Returns false when no bundle with this digest
   * exists.
   */
  place(bundle: string, admitted: { task: string; digest: string }): Promise<boolean>;
  /**
   * Enters candidates in the ledger, replacing earlier entries for them. Entries for other sources, and for candidates
   * that this run did not examine, stay.
   */
  record(mined: MinedSource): Promise<void>;
  /** Adds a line to `candidates.jsonl` at once, so that a killed run leaves it, too. */
  examined(record: CandidateRecord): void;
  /** Releases the dataset to other processes. */
  close(): Promise<void>;
}

/**
 * Checks that a path can be a dataset. Throws `OUTPUT_OCCUPIED` for a directory that holds something else and
 * `OUTPUT_UNWRITABLE` for anything that is not a directory.
 */
export async function requireDataset(path: string): Promise<void> {
  requireOurs(path, await listOutput(path));
}

function requireOurs(path: string, entries: readonly string[]): void {
  const foreign = entries.filter((name) => !name.startsWith('.assay-') && name !== LEDGER);
  if (foreign.length > 0 && !entries.includes(LEDGER))
    throw new AssayError('OUTPUT_OCCUPIED', { path, detail: `such as ${foreign[0]}` });
}

/** Creates the directory if needed, and locks it. Throws as `requireDataset` does, and `OUTPUT_BUSY`. */
export async function openDataset(path: string): Promise<Dataset> {
  const { unlock } = await claimDirectory(path, async (entries) => requireOurs(path, entries));
  try {
    for (const name of await readdir(path))
      if (name.startsWith(DRAFT)) await rm(join(path, name), { recursive: true, force: true });
    // Marks the directory as ours before the first task is in it.
    const file = join(path, LEDGER);
    const ledger = await readLedger(file);
    await writeJsonAtomic(file, ledger);
    await compactRecords(path);
    return {
      place: (bundle, admitted) => placeBundle(path, bundle, admitted),
      record: async (mined) => {
        enter(ledger, mined);
        await writeJsonAtomic(file, ledger);
      },
      examined: (record) => appendRecord(path, record),
      close: async () => {
        try {
          await compactRecords(path);
        } finally {
          await unlock();
        }
      },
    };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Reads the ledger; returns an empty one if there is none that this version wrote. */
async function readLedger(file: string): Promise<DatasetLedger> {
  const text = await readFile(file, 'utf8').catch(() => 'null');
  try {
    return DatasetLedger.parse(JSON.parse(text));
  } catch {
    return { assay: 'dataset', mined: [] };
  }
}

function enter({ mined }: DatasetLedger, { source, pipeline, notes, cutoff, ends, gone = [] }: MinedSource): void {
  let entry = mined.find((each) => each.source === source && each.pipeline === pipeline);
  if (!entry) mined.push((entry = { source, pipeline, candidates: [] }));
  const byName = new Map(entry.candidates.map((end) => [end.candidate, end]));
  for (const end of ends) byName.set(end.candidate, withoutPlaces(end));
  for (const name of gone) byName.delete(name);
  entry.candidates = [...byName.values()].sort((a, b) => (a.candidate < b.candidate ? -1 : 1));
  entry.cutoff = cutoff;
  if (notes) entry.notes = { text: notes.text, counts: notes.counts };
}

/** Removes paths of this machine, because datasets are passed on. */
const withoutPlaces = (end: CandidateEnd): CandidateEnd =>
  end.outcome === 'deferred' ? { ...end, detail: undefined } : end;

async function placeBundle(
  path: string,
  bundle: string,
  { task, digest }: { task: string; digest: string },
): Promise<boolean> {
  const target = join(path, task);
  if ((await digestOf(target)) === digest) return true;
  if ((await digestOf(bundle)) !== digest) return false;
  const draft = await mkdtemp(join(path, DRAFT));
  try {
    await copyBundle(bundle, join(draft, task));
    await rm(target, { recursive: true, force: true });
    await rename(join(draft, task), target);
    return true;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const digestOf = (directory: string): Promise<string | null> =>
  readTask(directory).then(
    (task) => task.meta.digest,
    () => null,
  );
