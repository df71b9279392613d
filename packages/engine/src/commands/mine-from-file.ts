import { AssayError, type MineResult } from '@assay/protocol';
import { readMineFile, type FiledPart } from '../mine/mine-file/read-mine-file.ts';
import type { MiningPart } from '../mine/mine-parts.ts';
import { mineInto, type MineSettings } from './mine.ts';

export interface MineFromFileOptions extends Partial<MineSettings> {
  /** Path of the file: YAML, JSON or TOML. */
  file: string;
  /** ISO 8601. For every entry, in place of what it says. */
  since?: string;
  until?: string;
}

/**
 * Mines the repositories and pipelines that a file names into one dataset. What `options` give goes before what the file
 * says. An entry that cannot be mined is in the result, and the others go on. Throws `MINE_FILE_INVALID`, and otherwise as
 * `mineRepository` does.
 */
export async function mineFromFile({ file, since, until, ...given }: MineFromFileOptions): Promise<MineResult> {
  const { settings, parts } = await readMineFile(file);
  const { budget, 'min-killed': minKilled, 'model-budget': modelBudget, ...named } = settings;
  const { model: name, endpoint, since: day, until: end, ...rest } = named;
  const filed = { ...rest, minKilled, modelBudget, budgetMs: budget, model: modelOf(name, endpoint, file) };
  const options: Partial<MineSettings> = { ...filed, ...withoutAbsent(given) };
  const { out, model, strengthen, blind } = options;
  const missing = (key: string, needs: string): AssayError =>
    new AssayError('MINE_FILE_INVALID', { place: file, detail: `${key}: it needs ${needs}` });
  if (out === undefined) throw missing('out', 'to be there, or --out');
  if (strengthen && !model) throw missing('strengthen', 'a model');
  if (blind !== undefined && !model) throw missing('blind', 'a model');
  const open = async (): Promise<MiningPart[]> => {
    const opened: MiningPart[] = [];
    for (const part of parts)
      opened.push({
        ...(await openPart(part, given.signal)),
        since: since ?? part.since ?? day,
        until: until ?? part.until ?? end,
      });
    return opened;
  };
  return mineInto({ ...options, out }, open, { goesOn: true });
}

function modelOf(name: string | undefined, endpoint: string | undefined, file: string): MineSettings['model'] {
  if (name !== undefined && endpoint !== undefined) return { name, endpoint };
  if (name === undefined && endpoint === undefined) return undefined;
  const key = name === undefined ? 'endpoint' : 'model';
  throw new AssayError('MINE_FILE_INVALID', { place: file, detail: `${key}: give model and endpoint together` });
}

/** What the pipeline refuses of its options is told by the place in the file. */
async function openPart(
  { source, pipeline, options, limit, wrong }: FiledPart,
  signal?: AbortSignal,
): Promise<MiningPart> {
  try {
    return { source, pipeline, collect: await pipeline.open(options, signal), limit };
  } catch (error) {
    if (!AssayError.is(error) || error.code !== 'BAD_OPTION') throw error;
    throw wrong(`${String(error.details['option'])}: ${String(error.details['detail'])}`);
  }
}

function withoutAbsent<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}
