import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { lockDirectory } from '@assay/files/store/lock-directory';
import { forEachParallel } from '@assay/files/store/schedule';
import { AssayError, type OnProgress } from '@assay/protocol';
import type { Framework } from '../framework.ts';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { whyUnreadable } from '../grade/read-answer.ts';
import { gradeAnswer, observingProvider, type GradeSettings } from '../grade/grade-answer.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { ForkServers } from '../grade/fork-servers.ts';
import { openSlots } from '../grade/slots.ts';
import type { Profile } from '../profile.ts';
import { StoredSample } from '../results/stored-sample.ts';
import type { Scenario } from '../scenario.ts';
import { SCENARIOS } from '../scenarios/index.ts';
import { storing, writeReport } from './storing.ts';
import { within } from './within.ts';
import { summarise, type EvalSummary } from './summarise.ts';

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

export interface GradedTree extends EvalSummary {
  profile: Profile;
  /** Samples that cannot be graded here, and why. */
  skipped: { sample: string; why: string }[];
  /** Models with their settings, such as `M temp0.2-openapi-none`: more than one, and the figures are a mix. */
  sets: string[];
  out: string;
}

interface Found {
  sample: StoredSample;
  path: string;
  scenario: Scenario;
  framework: Framework;
}

const SAMPLE = /^sample\d+$/;
/** MODEL/SCENARIO/FRAMEWORK/SETTINGS. */
const LEVELS = 4;
const MAX_ENTRIES = 100_000;

/** Grades what somebody else generated. Throws `ANSWER_UNREADABLE` for a tree without samples. */
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
  if (found.length + skipped.length === 0)
    throw new AssayError('ANSWER_UNREADABLE', {
      path: directory,
      detail: 'it holds no sample: MODEL/SCENARIO/FRAMEWORK/SETTINGS/sampleN/code',
    });
  const unlock = await lockDirectory(directory);
  const forkServers = new ForkServers(provider);
  try {
    const using = { provider, forkServers, slots: openSlots(request.jobs) };
    found.sort((a, b) => (a.path < b.path ? -1 : 1));
    const grades = new Map<string, SampleGrade>();
    const missing: Found[] = [];
    for (const each of found) {
      const known = request.resume === true ? await each.sample.grade() : null;
      if (known?.profile === profile && known.outcome !== 'invalid') grades.set(each.path, known);
      else missing.push(each);
    }
    let refused = 0;
    // Several at once, so that no slot is empty while the last test of one runs.
    await forEachParallel(
      missing,
      request.jobs ?? availableParallelism(),
      async ({ path, sample, scenario, framework }) => {
        onEvent?.({ type: 'item-start', item: path, done: grades.size + refused, total: found.length });
        const graded = await gradeFound({ path, sample, scenario, framework }, request, using);
        if ('why' in graded) {
          refused += 1;
          skipped.push({ sample: path, why: graded.why });
        } else grades.set(path, graded);
        const text = 'why' in graded ? graded.why : graded.outcome;
        onEvent?.({
          type: 'item-end',
          item: path,
          ok: 'outcome' in graded && graded.outcome === 'pass',
          text,
          done: grades.size + refused,
          total: found.length,
        });
      },
      signal,
    );
    const report: GradedTree = {
      profile,
      ...summarise(
        found.flatMap(({ path }) => grades.get(path) ?? []),
        request.ks,
      ),
      skipped,
      sets: setsOf(directory, found),
      out: directory,
    };
    await writeReport(directory, report);
    return report;
  } finally {
    await forkServers.close();
    await unlock();
  }
}

function setsOf(directory: string, found: readonly Found[]): string[] {
  const names = found.map(({ path }) => {
    const parts = join(directory, path).split('/');
    return `${parts.at(-5)} ${parts.at(-2)}`;
  });
  return [...new Set(names)].sort();
}

/** Or why its files cannot be read: a link in place of a directory, nothing but links, too much. */
async function gradeFound(
  { path, sample, scenario, framework }: Found,
  { profile, signal, onEvent }: GradeTreeRequest,
  using: Pick<GradeSettings, 'provider' | 'slots' | 'forkServers'>,
): Promise<SampleGrade | { why: string }> {
  try {
    const settings = { profile, ...using, signal, ...(onEvent ? { onEvent: within(path, onEvent) } : {}) };
    const grade = await gradeAnswer(scenario, framework, await sample.code(), settings);
    await storing(sample, () => sample.writeGrade(grade));
    return grade;
  } catch (error) {
    if (!AssayError.is(error) || !['ANSWER_UNREADABLE', 'SUBMISSION_TOO_LARGE'].includes(error.code)) throw error;
    return { why: String(error.details['detail']) };
  }
}

/**
 * Of samples that hold code, below the directory, whether that is the whole tree or one model's part. No link is
 * followed.
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
