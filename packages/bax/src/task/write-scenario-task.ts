import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ScenarioMetadata } from '@assay/protocol';
import { writeChangeFiles } from '@assay/engine/bundle/change-files';
import { checkArchive } from '@assay/engine/bundle/check-archive';
import { COMPOSE_FILE, WORKSPACE } from '@assay/engine/bundle/dockerfiles';
import { notCarriedPatterns } from '@assay/engine/bundle/not-carried-patterns';
import { solveScript } from '@assay/engine/bundle/solve-script';
import { standardTestScript } from '@assay/engine/bundle/standard/standard-dockerfiles';
import { metadataTable } from '@assay/engine/bundle/task-toml';
import { tomlText } from '@assay/engine/bundle/toml-text';
import { BLANK_DIGEST, writeBundle } from '@assay/engine/bundle/write-task';
import type { ChangeSet } from '@assay/files/change-set';
import { packDirectory } from '@assay/files/tar';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import type { Framework } from '../framework.ts';
import type { Scenario } from '../scenario.ts';
import { agentDockerfile, VERIFIER_DOCKERFILE } from './dockerfile.ts';
import { frameworkFolder } from './row-names.ts';

/** Content from which the bundle of a row is written. */
export interface ScenarioContent {
  /** `org/name`. */
  name: string;
  scenario: Scenario;
  framework: Framework;
  /** The only text that an agent is given. */
  instruction: string;
  meta: Omit<ScenarioMetadata, 'digest'>;
  /** The secure reference app, when there is one. */
  reference: ChangeSet | null;
}

/** Why Harbor gives no reward. */
export const NO_HARBOR_REWARD =
  'Harbor cannot hold the sandboxes in which apps are built, started and attacked. Run the task with `assay run`, or grade /workspace with `assay grade`.';

/** Harbor's limits. */
const AGENT_SECONDS = 1800;
const VERIFIER_SECONDS = 600;
const BUILD_SECONDS = 1800;

/** Writes the bundle, as `writeBundle` does. No test and no reference app lies anywhere but in `solution/`. */
export function writeScenarioTask(directory: string, content: ScenarioContent): Promise<void> {
  return writeBundle(directory, async (draft) => {
    for (const name of ['environment', 'tests']) {
      await mkdir(join(draft, name));
      await writeFile(join(draft, name, 'docker-compose.yaml'), COMPOSE_FILE);
    }
    await writeFile(join(draft, 'instruction.md'), content.instruction);
    await writeEnvironment(join(draft, 'environment'), content);
    await writeFile(join(draft, 'tests', 'Dockerfile'), VERIFIER_DOCKERFILE);
    await writeFile(join(draft, 'tests', 'test.sh'), standardTestScript({ impossible: NO_HARBOR_REWARD }), {
      mode: 0o755,
    });
    if (content.reference) {
      await writeChangeFiles(join(draft, 'solution'), content.reference);
      await writeFile(join(draft, 'solution', 'solve.sh'), solveScript(content.reference), { mode: 0o755 });
    }
    return taskToml(content, notCarriedPatterns(await checkArchive(join(draft, 'environment', 'repo.tar.gz'))));
  });
}

async function writeEnvironment(directory: string, { scenario, framework }: ScenarioContent): Promise<void> {
  await writeFile(join(directory, 'Dockerfile'), agentDockerfile(scenario, framework));
  await cp(join(frameworkFolder(framework), 'lock'), join(directory, 'lock'), { recursive: true });
  const tree = await makeTemporaryDirectory('scenario');
  try {
    const manifest = join(tree, framework.manifest.path);
    await mkdir(dirname(manifest), { recursive: true });
    await writeFile(manifest, framework.manifest.text());
    await packDirectory(tree, join(directory, 'repo.tar.gz'));
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

function taskToml({ name, scenario, framework, meta }: ScenarioContent, notCarried: readonly string[]): string {
  return tomlText({
    schema_version: '1.4',
    artifacts: [{ source: WORKSPACE, exclude: [...notCarried] }],
    task: {
      name,
      description: `${scenario.summary} in ${framework.name}`,
      keywords: [basename(name), framework.language.toLowerCase(), meta.pipeline],
    },
    agent: { timeout_sec: AGENT_SECONDS },
    verifier: { timeout_sec: VERIFIER_SECONDS, environment_mode: 'separate' },
    environment: { build_timeout_sec: BUILD_SECONDS, cpus: 1, memory_mb: 2048, storage_mb: 10240, workdir: WORKSPACE },
    metadata: {
      category: 'software-engineering',
      tags: [meta.kind, framework.language.toLowerCase()],
      assay: metadataTable({ ...meta, digest: BLANK_DIGEST }),
    },
  });
}
