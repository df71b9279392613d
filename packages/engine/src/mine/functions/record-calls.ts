import { basename, dirname, join } from 'node:path';
import type { TestCommand } from '@assay/protocol';
import type { Sandbox } from '@assay/sandbox';
import type { ChangeSet, FileChange } from '@assay/files/change-set';
import { readRegularFile } from '@assay/files/read-regular-file';
import {
  RECORDED,
  RecorderLine,
  type FunctionFacet,
  type RecordedCall,
  type RecordedResult,
  type SourceFunction,
  type TestPlace,
} from '../../ecosystems/function-facet.ts';
import { inVerifierBox, type BoxRequest } from '../../verify/verifier-box.ts';

const TIMEOUT_SEC = 60;
const MOST_BYTES = 32 * 1024 * 1024;
/** A call that never ends takes all after it along; they are made again without it. */
const MOST_RUNS = 4;

export interface RecordRequest extends Omit<BoxRequest, 'unsealed' | 'task'> {
  facet: FunctionFacet;
  command: TestCommand;
  /** Where new test files stand. */
  place: TestPlace;
  /** The function, and its source with a body. */
  target: { path: string; text: string; found: SourceFunction };
}

/** Runs tests of T0 over a source that notes what its function is called with. */
export async function seenCalls(request: RecordRequest, files: readonly string[]): Promise<RecordedCall[]> {
  const { facet, target } = request;
  if (files.length === 0) return [];
  const lines = await runRecording(request, {
    submission: [fileOf(target.path, facet.noting(target.text, target.found))],
    tests: [],
    files: [...files],
  });
  return lines.flatMap((line) => ('seen' in line ? [line.seen] : []));
}

/** Makes calls, all in one process, and tells what each did; null for one that the process did not come back from. */
export async function recordCalls(
  request: RecordRequest,
  calls: readonly RecordedCall[],
): Promise<(RecordedResult | null)[]> {
  const { facet, target, place } = request;
  const results: (RecordedResult | null)[] = calls.map(() => null);
  let from = 0;
  for (let run = 0; run < MOST_RUNS && from < calls.length; run += 1) {
    const recorder = facet.recorder(place, target, calls.slice(from));
    const lines = await runRecording(request, {
      submission: [fileOf(target.path, target.text)],
      tests: [fileOf(place.path, recorder)],
      files: [place.path],
    });
    let last = -1;
    for (const line of lines) {
      if (!('call' in line) || from + line.call >= calls.length) continue;
      results[from + line.call] = line.result;
      last = Math.max(last, line.call);
    }
    if (run === 0 && last < 0) return results;
    from += last + 2;
  }
  return results;
}

const fileOf = (path: string, text: string): FileChange => ({ path, content: Buffer.from(text), executable: false });

interface Recording {
  submission: FileChange[];
  tests: FileChange[];
  files: string[];
}

async function runRecording(request: RecordRequest, { submission, tests, files }: Recording): Promise<RecorderLine[]> {
  const { facet, command } = request;
  const change = (all: FileChange[]): ChangeSet => ({ files: all, deleted: [] });
  return inVerifierBox(
    { ...request, task: { meta: { steering: [] } }, unsealed: new Set() },
    {
      submission: change([...submission, fileOf(facet.helper.path, facet.helper.text)]),
      tests: change(tests),
      command: { ...command, files, timeoutSec: Math.min(command.timeoutSec, TIMEOUT_SEC) },
    },
    async ({ sandbox }) => linesOf(await readRecorded(sandbox)),
  );
}

/** The box is foreign by now: links are not followed. */
async function readRecorded(sandbox: Sandbox): Promise<string> {
  try {
    const directory = sandbox.hostView?.(dirname(RECORDED));
    if (directory === undefined) return await sandbox.readFile(RECORDED);
    return (await readRegularFile(join(directory, basename(RECORDED)), MOST_BYTES))?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}

function linesOf(text: string): RecorderLine[] {
  return text.split('\n').flatMap((line) => {
    try {
      return RecorderLine.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });
}
