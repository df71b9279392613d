import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { writeJsonAtomic } from '@assay/engine/files/atomic-write';
import { lockDirectory } from '@assay/engine/store/lock-directory';
import { AssayError, type OnProgress } from '@assay/protocol';
import type { Framework } from '../framework.ts';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { gradeAnswer, observingProvider } from '../grade/grade-answer.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { openSlots } from '../grade/slots.ts';
import type { Profile } from '../profile.ts';
import { StoredSample } from '../results/stored-sample.ts';
import type { Scenario } from '../scenario.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { summarise, type EvalSummary } from './summarise.ts';

export interface GradeTreeRequest {
  /** `MODEL/SCENARIO/FRAMEWORK/SETTINGS/sampleN/code`, as BaxBench's harness makes it; or one model's part of it. */
  directory: string;
  profile: Profile;
  ks: readonly number[];
  jobs?: number;
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

export interface GradedTree extends EvalSummary {
  profile: Profile;
  /** Samples that cannot be graded here, and why. */
  skipped: { sample: string; why: string }[];
  out: string;
}

interface Found { sample: StoredSample; path: string; scenario: Scenario; framework: Framework }

const SAMPLE = /^sample\d+$/;
/** MODEL/SCENARIO/FRAMEWORK/SETTINGS. */
const LEVELS = 4;
const MAX_ENTRIES = 100_000;

/** Grades what somebody else generated; samples that have a grade of this profile keep it. Throws `ANSWER_UNREADABLE` for a tree without samples. */
export async function gradeTree(request: GradeTreeRequest): Promise<GradedTree> {
  const { profile, signal, onEvent } = request;
  const directory = resolve(request.directory);
  const provider = await observingProvider(request.provider);
  const skipped: GradedTree['skipped'] = [];
  const found: Found[] = [];
  for await (const path of samplePaths(directory)) {
    const row = rowOf(path);
    if ('why' in row) skipped.push({ sample: path, why: row.why });
    else found.push({ ...row, path, sample: new StoredSample(join(directory, path)) });
  }
  if (found.length + skipped.length === 0) throw new AssayError('ANSWER_UNREADABLE', { path: directory, detail: 'it holds no sample: MODEL/SCENARIO/FRAMEWORK/SETTINGS/sampleN/code' });
  const unlock = await lockDirectory(directory);
  try {
    const slots = openSlots(request.jobs);
    const grades: SampleGrade[] = [];
    // One after the other: each runs its tests side by side.
    for (const { path, sample, scenario, framework } of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
      onEvent?.({ type: 'item-start', item: path, done: grades.length, total: found.length });
      const known = await sample.grade();
      const grade = known?.profile === profile && known.outcome !== 'invalid' ? known : await gradeAnswer(scenario, framework, await sample.code(), { profile, provider, slots, ...(signal ? { signal } : {}), ...(onEvent ? { onEvent } : {}) });
      if (grade !== known) await sample.writeGrade(grade);
      grades.push(grade);
      onEvent?.({ type: 'item-end', item: path, ok: grade.outcome === 'pass', text: grade.outcome, done: grades.length, total: found.length });
    }
    const report: GradedTree = { profile, ...summarise(grades, request.ks), skipped, out: directory };
    await writeJsonAtomic(join(directory, 'report.json'), report);
    return report;
  } finally {
    await unlock();
  }
}

/** Of samples that hold code, below the directory, whether that is the whole tree or one model's part. No link is followed. */
async function* samplePaths(directory: string, path = '', depth = 0, state = { entries: 0 }): AsyncGenerator<string> {
  const entries = await readdir(join(directory, path), { withFileTypes: true }).catch((error: unknown) => {
    throw new AssayError('ANSWER_UNREADABLE', { path: directory, detail: error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read' });
  });
  for (const entry of entries) {
    state.entries += 1;
    if (state.entries > MAX_ENTRIES) throw new AssayError('ANSWER_UNREADABLE', { path: directory, detail: `it has more than ${MAX_ENTRIES} entries` });
    if (!entry.isDirectory()) continue;
    const inside = path === '' ? entry.name : `${path}/${entry.name}`;
    if (SAMPLE.test(entry.name)) {
      if (await new StoredSample(join(directory, inside)).hasCode()) yield inside;
    } else if (depth < LEVELS) yield* samplePaths(directory, inside, depth + 1, state);
  }
}

function rowOf(path: string): { scenario: Scenario; framework: Framework } | { why: string } {
  const [scenarioName, frameworkName] = path.split('/').slice(-4, -2);
  const scenario = SCENARIOS.find(({ id }) => id === scenarioName);
  if (!scenario) return { why: `no scenario is called ${scenarioName}` };
  const framework = FRAMEWORKS.find(({ id }) => id.replaceAll('/', '-') === frameworkName);
  if (!framework) return { why: `no framework is called ${frameworkName}` };
  return scenario.tests === null ? { why: `${scenario.id} has no tests yet` } : { scenario, framework };
}
