import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { lockDirectory } from '@assay/files/store/lock-directory';
import { AssayError, type GradedTree, type OnProgress } from '@assay/protocol';
import type { Framework } from '../framework.ts';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { whyUnreadable } from '../grade/read-answer.ts';
import { OBSERVING_PROVIDER, observingProvider } from '../grade/grade-answer.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { openSlots } from '../grade/slots.ts';
import type { Profile } from '../profile.ts';
import { StoredSample } from '../results/stored-sample.ts';
import type { Scenario } from '../scenario.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { eachSample, whyNot, type Ungraded } from './each-sample.ts';
import { gradeWorker, type GradeWorker } from './grade-worker.ts';
import { orderGrade } from './ordered-answer.ts';
import { writeReport } from './storing.ts';
import { summarise } from './summarise.ts';

export interface GradeTreeRequest {
  /** `MODEL/SCENARIO/FRAMEWORK/SETTINGS/sampleN/code`, as BaxBench's harness makes it; or one model's part of it. */
  directory: string;
  profile: Profile;
  ks: readonly number[];
  /** Believe the grades of this profile that are in the tree, as of a run of one's own. Default: grade everything. */
  resume?: boolean;
  jobs?: number;
  provider?: string;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

interface Found {
  /** Path of the sample in the tree. */
  item: string;
  sample: StoredSample;
  scenario: Scenario;
  framework: Framework;
}

const SAMPLE = /^sample\d+$/;
/** MODEL/SCENARIO/FRAMEWORK/SETTINGS. */
const LEVELS = 4;
const MAX_ENTRIES = 100_000;

/** Grades what somebody else generated. Throws `ANSWER_UNREADABLE` for a tree without samples. */
export async function gradeTree(request: GradeTreeRequest): Promise<GradedTree> {
  const directory = resolve(request.directory);
  await observingProvider(request.provider);
  const skipped: GradedTree['skipped'] = [];
  const found: Found[] = [];
  for await (const path of samplePaths(directory)) {
    const row = rowOf(path);
    if ('why' in row) skipped.push({ sample: path, why: row.why });
    else found.push({ ...row, item: path, sample: new StoredSample(join(directory, path)) });
  }
  if (found.length + skipped.length === 0)
    throw new AssayError('ANSWER_UNREADABLE', {
      path: directory,
      detail: 'it holds no sample: MODEL/SCENARIO/FRAMEWORK/SETTINGS/sampleN/code',
    });
  found.sort((a, b) => (a.item < b.item ? -1 : 1));
  const unlock = await lockDirectory(directory);
  const worker = gradeWorker({ slots: openSlots(request.jobs) });
  try {
    const { grades, ungraded } = await gradeAll(found, request, worker);
    const [faults, others] = [true, false].map((isFault) =>
      ungraded.filter(({ failure }) => (failure.outcome === 'quarantined') === isFault),
    );
    if (grades.size === 0 && others?.[0]) throw others[0].error;
    const inOrder = found.flatMap(({ item }) => grades.get(item) ?? []);
    const report: GradedTree = {
      profile: request.profile,
      ...summarise(inOrder, request.ks),
      skipped: [
        ...skipped,
        ...(faults ?? []).map(({ sample, failure, error }) => ({ sample: sample.item, why: whyNot(failure, error) })),
      ],
      failures: (others ?? []).map(({ failure }) => failure),
      sets: setsOf(directory, found),
      out: directory,
    };
    await writeReport(directory, report);
    return report;
  } finally {
    await worker.close();
    await unlock();
  }
}

async function gradeAll(
  found: readonly Found[],
  { profile, resume = false, jobs, provider = OBSERVING_PROVIDER, signal, onEvent }: GradeTreeRequest,
  worker: GradeWorker,
): Promise<{ grades: Map<string, SampleGrade>; ungraded: Ungraded<Found>[] }> {
  const grades = new Map<string, SampleGrade>();
  const missing: Found[] = [];
  for (const each of found) {
    const known = resume ? await each.sample.grade() : null;
    if (known?.profile === profile && known.outcome !== 'invalid') grades.set(each.item, known);
    else missing.push(each);
  }
  // Several at once, so that no slot is empty while the last test of one runs.
  const parallel = jobs ?? availableParallelism();
  const ungraded = await eachSample(
    missing,
    { done: grades.size, total: found.length, parallel, worker, signal, onEvent },
    {
      order: ({ sample, ...each }) =>
        orderGrade({
          ...each,
          profile,
          provider,
          place: { form: 'code', path: sample.codePath },
          out: sample.directory,
        }),
      onGrade: ({ item }, grade) => grades.set(item, grade),
    },
  );
  return { grades, ungraded };
}

function setsOf(directory: string, found: readonly Found[]): string[] {
  const names = found.map(({ item }) => {
    const parts = join(directory, item).split('/');
    return `${parts.at(-5)} ${parts.at(-2)}`;
  });
  return [...new Set(names)].sort();
}

/**
 * Paths of the samples that hold code, below the directory, whether that is the whole tree or one model's part. No link
 * is followed.
 */
async function* samplePaths(directory: string, path = '', depth = 0, state = { entries: 0 }): AsyncGenerator<string> {
  const entries = await readdir(join(directory, path), { withFileTypes: true }).catch((error: unknown) => {
    throw new AssayError('ANSWER_UNREADABLE', { path: directory, detail: whyUnreadable(error) });
  });
  for (const entry of entries) {
    state.entries += 1;
    if (state.entries > MAX_ENTRIES)
      throw new AssayError('ANSWER_UNREADABLE', { path: directory, detail: `it has more than ${MAX_ENTRIES} entries` });
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
