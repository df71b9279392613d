import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAtomic, writeJsonAtomic } from '@assay/files/atomic-write';
import { readRegularFile } from '@assay/files/read-regular-file';
import { safeJoin } from './safe-join.ts';
import { SampleGrade } from '../grade/sample-grade.ts';
import { readCodeDirectory, type AnswerFiles } from '../grade/read-answer.ts';
import { upstreamResults } from './upstream-results.ts';

/** File that upstream's harness writes when it finds no code in a response. */
const NO_CODE = 'failed';
const GRADE = 'grade.json';
const UPSTREAM_RESULTS = 'test_results.json';
const RESPONSE = 'response.txt';
/** More than any that is written. */
const MAX_BYTES = 64 * 1024 * 1024;

/** One sample in a tree of results: `code/`, the response, the grade, and the grade in upstream's form. */
export class StoredSample {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Null when there is none, or one that cannot be read: it is made anew then. */
  async grade(): Promise<SampleGrade | null> {
    const bytes = await readRegularFile(join(this.directory, GRADE), MAX_BYTES);
    if (bytes === null) return null;
    const parsed = SampleGrade.safeParse(parseJson(bytes.toString()));
    return parsed.success ? parsed.data : null;
  }

  /** Path of the file with the response. */
  get responsePath(): string {
    return join(this.directory, RESPONSE);
  }

  /** Path of the directory with the answer's files. */
  get codePath(): string {
    return join(this.directory, 'code');
  }

  async response(): Promise<string | null> {
    return await readStoredResponse(this.responsePath);
  }

  /** The response is written last: a sample without one was not generated. */
  async writeResponse(response: string, answer: { files: AnswerFiles } | { invalid: string }): Promise<void> {
    const code = this.codePath;
    await rm(code, { recursive: true, force: true });
    await mkdir(code, { recursive: true });
    const files = 'invalid' in answer ? { [NO_CODE]: Buffer.from(`${answer.invalid}\n\n${response}`) } : answer.files;
    for (const [path, content] of Object.entries(files)) {
      const place = safeJoin(code, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
    }
    await writeAtomic(this.responsePath, response);
  }

  async hasCode(): Promise<boolean> {
    return await readdir(this.codePath).then(
      (entries) => entries.length > 0,
      () => false,
    );
  }

  async writeGrade(grade: SampleGrade): Promise<void> {
    const upstream = upstreamResults(grade);
    if (upstream === null) await rm(join(this.directory, UPSTREAM_RESULTS), { force: true });
    else await writeJsonAtomic(join(this.directory, UPSTREAM_RESULTS), upstream);
    await writeJsonAtomic(join(this.directory, GRADE), grade);
  }
}

/** Reads a response that was stored. Null when there is none, or one that cannot be read. */
export async function readStoredResponse(path: string): Promise<string | null> {
  const bytes = await readRegularFile(path, MAX_BYTES);
  return bytes?.toString() ?? null;
}

/**
 * Reads the files of a sample that was made elsewhere; `invalid` where upstream found no code. Throws
 * `ANSWER_UNREADABLE`.
 */
export async function readStoredCode(path: string): Promise<{ files: AnswerFiles } | { invalid: string }> {
  const files = await readCodeDirectory(path);
  return Object.keys(files).join() === NO_CODE ? { invalid: 'the response held no code' } : { files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
