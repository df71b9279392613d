import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, type Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { WORKSPACE } from '@assay/engine/bundle/dockerfiles';
import { openT0 } from '@assay/engine/bundle/open-t0';
import { readOptionalReference } from '@assay/engine/bundle/read-task';
import type { ScenarioTask } from '@assay/engine/bundle/task';
import { sha256 } from '@assay/files/content-digest';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { proveByVerdicts } from '@assay/engine/kinds/prove-by-verdicts';
import { invalidVerdict } from '@assay/engine/verify/invalid-verdict';
import type { OpenTask, OpenTaskOptions, TaskEnvironment, TaskVerdict, VerifyOptions } from '@assay/engine/kinds/kind';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { findFramework, findScenario } from '../find-row.ts';
import type { Framework, PreparedFramework } from '../framework.ts';
import { gradePrepared, observingProvider, prepareRow } from '../grade/grade-answer.ts';
import type { Slots } from '../grade/slots.ts';
import type { Scenario } from '../scenario.ts';
import { answerOfChange } from './answer-of-change.ts';
import { START_APP, startAppScript } from './start-app-script.ts';
import { testsDigest } from './tests-digest.ts';
import { verdictOfGrade, verifierName } from './verdict-of-grade.ts';

/** Where `start-app` lies. */
const COMMANDS = '/opt/bax';
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Another than the one that submissions are graded with. */
const SECRET_TO_TRY_WITH = 'a-secret-to-try-it-out-with';

interface Row {
  task: ScenarioTask;
  scenario: Scenario;
  framework: Framework;
  prepared: PreparedFramework;
  slots: Slots;
}

/**
 * A row's bundle, as the stages of a trial take it. Throws `UNKNOWN_SCENARIO`, `UNKNOWN_FRAMEWORK`, `TASK_OUTDATED`,
 * `BAD_OPTION` for a provider in which the framework's toolchain cannot run, and what `prepareRow` throws.
 */
export async function openScenarioTask(
  task: ScenarioTask,
  options: OpenTaskOptions,
  slots: Slots,
): Promise<Omit<OpenTask, 'verifierDigest'>> {
  const { meta } = task;
  const [scenario, framework] = [findScenario(meta.scenario), findFramework(meta.framework)];
  if ((await testsDigest(scenario, framework)) !== meta.tests)
    throw new AssayError('TASK_OUTDATED', {
      path: task.directory,
      detail: `${meta.scenario} in ${meta.framework} has changed since`,
    });
  const { provider, cacheDirectory, progress, signal } = options;
  if (provider.hostSystem !== true)
    throw new AssayError('BAD_OPTION', {
      option: '--provider',
      detail: `the toolchains of this machine do not run in ${provider.name ?? 'it'}. Take bubblewrap, runc or runsc.`,
    });
  progress?.(`making ready what ${framework.id} needs`);
  const prepared = await prepareRow(scenario, framework, {
    profile: meta.profile,
    provider: await gradingProvider(provider),
    onEvent: ({ text }) => progress?.(`making ready what ${framework.id} needs: ${text ?? ''}`),
    signal,
  });
  const t0 = await openT0(task, cacheDirectory);
  const row: Row = { task, scenario, framework, prepared, slots };
  const open: Omit<OpenTask, 'verifierDigest'> = {
    task,
    ...t0,
    // Mounted there for some frameworks, and nothing that an agent made.
    skippedAtT0: new Set([...t0.skippedAtT0, 'node_modules']),
    environment: await agentEnvironment(row, cacheDirectory),
    reference: await readOptionalReference(task),
    answer: framework.codeFile ?? undefined,
    verify: (submission, verifying) => gradeChange(row, submission, verifying),
    brokenVerdict: (submission, broken) => ungradedVerdict(task, submission, broken),
    prove: (proving) => proveByVerdicts({ id: task.id, ...open }, proving),
  };
  return open;
}

/** The provider of the job, where it can carry requests to a server inside it. */
async function gradingProvider(provider: SandboxProvider): Promise<SandboxProvider> {
  return provider.exposes === true ? provider : observingProvider();
}

/**
 * Prepares the part of the grading environment that an agent needs to try its app: toolchain, packages under a writable
 * /app, and a command that starts it.
 */
async function agentEnvironment({ framework, prepared }: Row, cacheDirectory: string): Promise<TaskEnvironment> {
  const script = startAppScript(framework, prepared);
  const commands = await prepareLayer(cacheDirectory, `bax-start-${sha256(script).slice(0, 32)}`, (draft) =>
    writeFile(join(draft, START_APP), script, { mode: 0o755 }),
  );
  const modules = prepared.appLayers.map((layer) => join(layer, 'node_modules')).filter((path) => existsSync(path));
  return {
    mounts: () => [
      ...prepared.mounts,
      { kind: 'layers', sources: [...prepared.appLayers], target: '/app' },
      // Node looks for packages beside the program that asks for them.
      ...(modules.length > 0
        ? [{ kind: 'layers' as const, sources: modules, target: `${WORKSPACE}/node_modules` }]
        : []),
      { kind: 'read-only', source: commands, target: COMMANDS },
    ],
    env: {
      ...prepared.env,
      APP_SECRET: SECRET_TO_TRY_WITH,
      PATH: `${prepared.env['PATH'] ?? DEFAULT_PATH}:${COMMANDS}`,
    },
    root: prepared.root,
  };
}

async function gradeChange(
  { task, scenario, framework, prepared, slots }: Row,
  submission: ChangeSet,
  { provider, signal }: VerifyOptions,
): Promise<TaskVerdict> {
  const grader = await gradingProvider(provider);
  try {
    const graded = { scenario, framework, prepared };
    const grade = await gradePrepared(graded, answerOfChange(submission, framework), {
      profile: task.meta.profile,
      provider: grader,
      slots,
      signal,
    });
    return {
      verdict: verdictOfGrade(grade, { task: task.meta.digest, submission: digestChange(submission) }),
      grade,
      provider: grader.name ?? 'unnamed',
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (!AssayError.is(error) || error.kind !== 'infrastructure') throw error;
    return {
      verdict: ungradedVerdict(task, submission, { provider: grader, note: error.message }),
      provider: grader.name ?? 'unnamed',
    };
  }
}

function ungradedVerdict(
  { meta }: ScenarioTask,
  submission: ChangeSet,
  { provider, note }: { provider: SandboxProvider; note: string },
): Verdict {
  const digests = { task: meta.digest };
  return invalidVerdict({ verifier: verifierName(meta.profile), provider, submission, digests, note });
}
