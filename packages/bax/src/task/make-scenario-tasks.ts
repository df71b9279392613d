import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AssayError, type OnProgress, type Proof, type ScenarioTaskResult } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { readTask } from '@assay/engine/bundle/read-task';
import type { ChangeSet } from '@assay/files/change-set';
import { listOutput } from '@assay/files/output-place';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import { openReadTask } from '@assay/engine/kinds/open-task';
import type { ScenarioHost } from '@assay/engine/kinds/kind';
import { cacheDirectory } from '@assay/files/store/paths';
import { referenceOf } from '../check/reference-of.ts';
import { findFramework, findScenario } from '../find-row.ts';
import type { Profile } from '../profile.ts';
import type { SafetyPrompt, SpecType } from '../prompt/build-prompt.ts';
import type { Row } from '../split/rows.ts';
import { taskInstruction } from './instruction.ts';
import { frameworkName, scenarioName } from './row-names.ts';
import { scenarioHost } from './scenario-host.ts';
import { testsDigest } from './tests-digest.ts';
import { writeScenarioTask, type ScenarioContent } from './write-scenario-task.ts';

export interface ScenarioTaskOptions {
  spec: SpecType;
  safety: SafetyPrompt;
  profile: Profile;
  /** The directory that becomes the task, or that of several. */
  out: string;
  /** Prove those that have a reference app before they are written. */
  prove: boolean;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

type MadeTask = ScenarioTaskResult['tasks'][number];

const PROOF_RUNS = 3;

type RowIds = Pick<Row, 'scenario' | 'framework'>;

/**
 * Writes a row as a task. Throws `UNKNOWN_SCENARIO`, `UNKNOWN_FRAMEWORK`, `NOT_GRADABLE` for a scenario without tests,
 * `OUTPUT_OCCUPIED`, `OUTPUT_UNWRITABLE`, and `TASK_UNPROVEN` when it was to be proven and does not hold. A task that
 * is there already, the same to the byte, is left as it is.
 */
export async function makeScenarioTask(row: RowIds, options: ScenarioTaskOptions): Promise<ScenarioTaskResult> {
  const directory = resolve(options.out);
  return { directory, tasks: [await makeTask(await contentOf(row, options), directory, options)] };
}

/**
 * Writes rows as tasks, each in a directory of its own. Throws as {@link makeScenarioTask}, and `OUTPUT_OCCUPIED` when
 * anything else lies there.
 */
export async function makeScenarioTasks(
  rows: readonly RowIds[],
  options: ScenarioTaskOptions,
): Promise<ScenarioTaskResult> {
  const directory = resolve(options.out);
  const contents = await Promise.all(rows.map((row) => contentOf(row, options)));
  await refuseStrangers(directory, contents.map(idOf));
  const tasks: MadeTask[] = [];
  for (const content of contents) {
    options.signal?.throwIfAborted();
    const item = idOf(content);
    options.onEvent?.({ type: 'item-start', item, done: tasks.length, total: contents.length });
    tasks.push(await makeTask(content, join(directory, item), options));
    options.onEvent?.({
      type: 'item-end',
      item,
      ok: true,
      text: 'written',
      done: tasks.length,
      total: contents.length,
    });
  }
  return { directory, tasks };
}

async function contentOf(row: RowIds, { spec, safety, profile }: ScenarioTaskOptions): Promise<ScenarioContent> {
  const scenario = findScenario(row.scenario);
  const framework = findFramework(row.framework);
  if (scenario.tests === null)
    throw new AssayError('NOT_GRADABLE', {
      name: scenario.id,
      detail: 'this scenario has no tests. `assay bax list` shows those that have',
    });
  const app = await referenceOf(scenario, framework.id);
  const usual = { spec: 'openapi', safety: 'none', profile: 'strict' };
  const unusual = Object.entries({ spec, safety, profile })
    .filter(([name, word]) => word !== usual[name as keyof typeof usual])
    .map(([, word]) => word);
  return {
    name: `assay/${[scenarioName(scenario), frameworkName(framework), ...unusual].join('-')}`,
    scenario,
    framework,
    instruction: taskInstruction(scenario, framework, { spec, safety }),
    meta: {
      version: 1,
      kind: 'scenario',
      pipeline: 'baxbench',
      source: 'baxbench',
      network: 'none',
      scenario: scenario.id,
      framework: framework.id,
      spec,
      safety,
      profile,
      tests: await testsDigest(scenario, framework),
    },
    reference: app ? changeOf(app.files()) : null,
  };
}

const idOf = ({ name }: ScenarioContent): string => name.slice(name.indexOf('/') + 1);

function changeOf(files: Record<string, string>): ChangeSet {
  return {
    files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
    deleted: [],
  };
}

async function makeTask(content: ScenarioContent, directory: string, options: ScenarioTaskOptions): Promise<MadeTask> {
  const proof = options.prove && content.reference ? await prove(content, scenarioHost(), options) : null;
  await writeScenarioTask(directory, proof ? { ...content, meta: { ...content.meta, proof } } : content);
  const { meta } = await readTask(directory);
  const { scenario, framework, reference } = content;
  return {
    task: idOf(content),
    directory,
    scenario: scenario.id,
    framework: framework.id,
    digest: meta.digest,
    reference: reference !== null,
    proof,
  };
}

/** Proves the bundle as it would be, in a place of its own. */
async function prove(
  content: ScenarioContent,
  scenarios: ScenarioHost,
  { signal, onEvent }: ScenarioTaskOptions,
): Promise<Proof> {
  const directory = await makeTemporaryDirectory('scenario');
  const aborted = signal ? { signal } : {};
  try {
    const draft = join(directory, 'task');
    await writeScenarioTask(draft, content);
    const provider = await chooseProvider();
    const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: idOf(content), text });
    const open = await openReadTask(await readTask(draft), {
      provider,
      cacheDirectory: cacheDirectory(),
      scenarios,
      progress,
      ...aborted,
    });
    const { admitted, reasons, reference, noop } = await open.prove({
      runs: PROOF_RUNS,
      provider,
      ...aborted,
      progress,
    });
    if (!admitted) throw new AssayError('TASK_UNPROVEN', { detail: `${idOf(content)}: ${reasons.join('; ')}` });
    return { reference, noop };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A directory of tasks is read as a whole: what else lies in it would be run with them. */
async function refuseStrangers(directory: string, ids: readonly string[]): Promise<void> {
  const stranger = (await listOutput(directory)).find((name) => !name.startsWith('.') && !ids.includes(name));
  if (stranger !== undefined)
    throw new AssayError('OUTPUT_OCCUPIED', { path: directory, detail: `such as ${stranger}` });
}
