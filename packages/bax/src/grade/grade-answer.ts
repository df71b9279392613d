import { cacheDirectory } from '@assay/engine/store/paths';
import { AssayError, type OnProgress } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { findFramework, findScenario } from '../find-row.ts';
import type { Framework, PreparedFramework } from '../framework.ts';
import { buildSample } from '../frameworks/build-sample.ts';
import { withTools } from '../frameworks/with-tools.ts';
import { whyUngraded } from '../list-rows.ts';
import type { Profile } from '../profile.ts';
import type { Scenario } from '../scenario.ts';
import { gradeSample } from './grade-sample.ts';
import { readCodeDirectory, readResponse, type AnswerFiles } from './read-answer.ts';
import type { SampleGrade } from './sample-grade.ts';
import type { Slots } from './slots.ts';

export interface GradeSettings {
  profile: Profile;
  provider: SandboxProvider;
  /** Seconds until an instance must answer. Default 60. */
  serverStartTimeout?: number;
  /** Seconds of one test. Default 120; 300 in the profile `upstream`. */
  testTimeout?: number;
  slots?: Slots;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/** Throws `NOT_GRADABLE` for a scenario without tests, `PROVIDER_UNAVAILABLE` where this machine lacks what the framework needs. */
export async function prepareRow(scenario: Scenario, framework: Framework, { provider, signal, onEvent }: GradeSettings): Promise<PreparedFramework> {
  if (scenario.tests === null) throw new AssayError('NOT_GRADABLE', { name: scenario.id, detail: 'this scenario has no tests. `assay bax list` shows those that have' });
  const missing = (await whyUngraded(scenario)) ?? (await framework.unavailable());
  if (missing !== null) throw new AssayError('PROVIDER_UNAVAILABLE', { name: `${scenario.id} in ${framework.id}`, detail: missing, hint: '`assay bax list` shows what can be graded here.' });
  const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: framework.id, text });
  const options = { provider, cacheDirectory: cacheDirectory(), progress, ...(signal ? { signal } : {}) };
  const prepared = await framework.prepare(options);
  return scenario.tools ? withTools(prepared, await scenario.tools(options)) : prepared;
}

/** Builds and grades the files of one answer; `invalid` stands for an answer in which there is no code. Errors as `prepareRow` and `gradeSample`. */
export async function gradeAnswer(scenario: Scenario, framework: Framework, answer: { files: AnswerFiles | Record<string, string> } | { invalid: string }, settings: GradeSettings): Promise<SampleGrade> {
  const prepared = await prepareRow(scenario, framework, settings);
  const common = { scenario, framework, variant: prepared.variant, layer: prepared.digest, ...settings };
  if ('invalid' in answer) return await gradeSample({ ...common, image: null, build: { ok: false, log: answer.invalid } });
  const { provider, signal } = settings;
  const sample = await buildSample({ framework, prepared, files: answer.files, provider, ...(signal ? { signal } : {}) });
  try {
    return await gradeSample({ ...common, image: sample.image, build: sample.build });
  } finally {
    await sample.dispose();
  }
}

export interface GradeRequest extends Omit<GradeSettings, 'provider'> {
  scenario: string;
  framework: string;
  /** Directory of the answer's files, or the file that holds a model's response. */
  answer: { code: string } | { response: string };
  provider?: string;
}

/** What `assay bax grade` does. Throws what the user can mend before anything is installed or started. */
export async function gradeRequest({ scenario: scenarioId, framework: frameworkId, answer, provider, ...settings }: GradeRequest): Promise<SampleGrade> {
  const scenario = findScenario(scenarioId);
  const framework = findFramework(frameworkId);
  const read = 'code' in answer ? { files: await readCodeDirectory(answer.code) } : await readResponse(answer.response, framework, settings.profile);
  return await gradeAnswer(scenario, framework, read, { ...settings, provider: await observingProvider(provider) });
}

/** The provider that apps are graded with: `bubblewrap` where nothing else is asked for, as observation from outside is proven there. Throws as `chooseProvider`. */
export async function observingProvider(name = 'bubblewrap'): Promise<SandboxProvider> {
  const provider = await chooseProvider(name);
  if (provider.exposes !== true) throw new AssayError('BAD_OPTION', { option: '--provider', detail: `${name} cannot carry requests to a server inside it. Take bubblewrap or runc.` });
  return provider;
}
