import { cacheDirectory } from '@assay/files/store/paths';
import { AssayError, type OnProgress } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { findFramework, findScenario } from '../find-row.ts';
import type { Framework, PreparedFramework } from '../framework.ts';
import { buildSample } from '../frameworks/build-sample.ts';
import { withTools } from '../frameworks/with-tools.ts';
import { whyUngraded } from '../list-rows.ts';
import type { Profile } from '../profile.ts';
import type { UnusableAnswer } from '../prompt/parsed-response.ts';
import type { Scenario } from '../scenario.ts';
import { ForkServers } from './fork-servers.ts';
import { gradeSample } from './grade-sample.ts';
import { readGivenDirectory, readResponse, type AnswerFiles } from './read-answer.ts';
import type { SampleGrade } from './sample-grade.ts';
import { openSlots, type Slots } from './slots.ts';

export interface GradeSettings {
  profile: Profile;
  provider: SandboxProvider;
  /** Seconds until an instance must answer. Default 60. */
  serverStartTimeout?: number;
  /** Seconds of one test. Default 120; 300 in the profile `upstream`. */
  testTimeout?: number;
  slots?: Slots;
  /** Default: some of its own, for one answer. */
  forkServers?: ForkServers;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Throws `NOT_GRADABLE` for a scenario without tests, `PROVIDER_UNAVAILABLE` where this machine lacks what the
 * framework needs, and `LAYER_FAILED` where it cannot be installed: its recipe is ours and pinned, so that is neither
 * the answer's fault nor the user's.
 */
export async function prepareRow(
  scenario: Scenario,
  framework: Framework,
  { provider, signal, onEvent }: GradeSettings,
): Promise<PreparedFramework> {
  if (scenario.tests === null)
    throw new AssayError('NOT_GRADABLE', {
      name: scenario.id,
      detail: 'this scenario has no tests. `assay bax list` shows those that have',
    });
  const missing = (await whyUngraded(scenario, framework)) ?? (await framework.unavailable());
  if (missing !== null)
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: `${scenario.id} in ${framework.id}`,
      detail: missing,
      hint: '`assay bax list` shows what can be graded here.',
    });
  const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: framework.id, text });
  const options = { provider, cacheDirectory: cacheDirectory(), programs: scenario.programs, progress, signal };
  try {
    const prepared = await framework.prepare(options);
    return scenario.tools ? withTools(prepared, await scenario.tools(options)) : prepared;
  } catch (error) {
    signal?.throwIfAborted();
    if (!AssayError.is(error) || (error.code !== 'ENVIRONMENT_FAILED' && error.code !== 'LANE_FAILED')) throw error;
    throw new AssayError(
      'LAYER_FAILED',
      { name: framework.id, detail: String(error.details['detail']) },
      { cause: error },
    );
  }
}

/** The files of an answer by path, or why there is no code in it. */
export type Answer = { files: AnswerFiles | Record<string, string> } | UnusableAnswer;

/** Builds and grades one answer. Errors as `prepareRow` and `gradeSample`. */
export async function gradeAnswer(
  scenario: Scenario,
  framework: Framework,
  answer: Answer,
  settings: GradeSettings,
): Promise<SampleGrade> {
  const prepared = await prepareRow(scenario, framework, settings);
  return await gradePrepared({ scenario, framework, prepared }, answer, settings);
}

/** A row whose framework `prepareRow` prepared. */
export interface PreparedRow {
  scenario: Scenario;
  framework: Framework;
  prepared: PreparedFramework;
}

/** As `gradeAnswer`, for a row that is prepared. */
export async function gradePrepared(
  { scenario, framework, prepared }: PreparedRow,
  answer: Answer,
  settings: GradeSettings,
): Promise<SampleGrade> {
  const { provider, signal, slots = openSlots(1) } = settings;
  const common = { scenario, framework, variant: prepared.variant, layer: prepared.digest, ...settings, slots };
  if ('invalid' in answer) {
    const grade = await gradeSample({ ...common, image: null, build: { ok: false, log: answer.invalid } });
    return answer.unsafePath ? { ...grade, refused: answer.invalid } : grade;
  }
  // A build takes as much as an instance.
  const sample = await slots.use(() => buildSample({ framework, prepared, files: answer.files, provider, signal }));
  const forkServers = settings.forkServers ?? new ForkServers(provider);
  try {
    return await gradeSample({ ...common, forkServers, image: sample.image, build: sample.build });
  } finally {
    if (!settings.forkServers) await forkServers.close();
    await sample.dispose();
  }
}

export interface GradeRequest extends Omit<GradeSettings, 'provider'> {
  /** Ids, or a scenario and a framework from elsewhere. */
  scenario: string | Scenario;
  framework: string | Framework;
  /** Directory of the answer's files, or the file that holds a model's response. */
  answer: { code: string } | { response: string };
  provider?: string;
}

/** Grades an answer as `assay bax grade` does. Throws errors that the user can mend before it installs anything. */
export async function gradeRequest({
  scenario: scenarioId,
  framework: frameworkId,
  answer,
  provider,
  ...settings
}: GradeRequest): Promise<SampleGrade> {
  const scenario = findScenario(scenarioId);
  const framework = findFramework(frameworkId);
  const leftOut = (path: string, why: string): void =>
    settings.onEvent?.({ type: 'note', item: path, text: `left out of the answer: ${why}` });
  const read =
    'code' in answer
      ? { files: await readGivenDirectory(answer.code, leftOut) }
      : await readResponse(answer.response, framework, settings.profile);
  return await gradeAnswer(scenario, framework, read, { ...settings, provider: await observingProvider(provider) });
}

/** Name of the provider that apps are graded with where nothing else is asked for: observation is proven there. */
export const OBSERVING_PROVIDER = 'bubblewrap';

/** The provider that apps are graded with, which lets requests from outside through. Throws as `chooseProvider`. */
export async function observingProvider(name = OBSERVING_PROVIDER): Promise<SandboxProvider> {
  const provider = await chooseProvider(name);
  if (provider.exposes !== true)
    throw new AssayError('BAD_OPTION', {
      option: '--provider',
      detail: `${name} cannot carry requests to a server inside it. Take bubblewrap or runc.`,
    });
  return provider;
}
