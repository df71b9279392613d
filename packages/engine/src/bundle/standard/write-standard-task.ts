import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StandardMetadata } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import { packDirectory } from '@assay/files/tar';
import { writeChangeFiles } from '../change-files.ts';
import { checkArchive } from '../check-archive.ts';
import { COMPOSE_FILE, WORKSPACE } from '../dockerfiles.ts';
import { notCarriedPatterns } from '../not-carried-patterns.ts';
import { solveScript } from '../solve-script.ts';
import { metadataTable } from '../task-toml.ts';
import { tomlText } from '../toml-text.ts';
import { BLANK_DIGEST, writeBundle } from '../write-task.ts';
import {
  standardEnvironmentDockerfile,
  standardTestScript,
  standardVerifierDockerfile,
  type HarborGrading,
} from './standard-dockerfiles.ts';

/** Everything that the bundle of a standard task is written from. */
export interface StandardContent {
  /** `org/name`. */
  name: string;
  /** One line for lists of tasks; agents do not see it. */
  description: string;
  /** The only text given to an agent. Markdown. */
  instruction: string;
  meta: Omit<StandardMetadata, 'digest'>;
  /** The document, unchanged. */
  document: Uint8Array;
  /** The answer file, if it is known. */
  reference: ChangeSet | null;
  /** How Harbor grades it, or a text that says why it cannot. */
  grading: HarborGrading;
}

/** The README in the agent's directory. */
const readme = (answer: string): string => `The answer goes into ${answer}.\n`;

/** Writes the bundle of a standard task; see `writeBundle`. */
export function writeStandardTask(directory: string, content: StandardContent): Promise<void> {
  return writeBundle(directory, async (draft) => {
    for (const name of ['environment', 'tests']) {
      await mkdir(join(draft, name));
      await writeFile(join(draft, name, 'docker-compose.yaml'), COMPOSE_FILE);
    }
    await writeFile(join(draft, 'instruction.md'), content.instruction);
    await writeFile(join(draft, 'environment', 'Dockerfile'), standardEnvironmentDockerfile(content.meta.language));
    await packEmptyTree(join(draft, 'environment', 'repo.tar.gz'), content.meta.answer);
    await writeTests(join(draft, 'tests'), content);
    if (content.reference) {
      await writeChangeFiles(join(draft, 'solution'), content.reference);
      await writeFile(join(draft, 'solution', 'solve.sh'), solveScript(content.reference), { mode: 0o755 });
    }
    return standardTomlText(content, notCarriedPatterns(await checkArchive(join(draft, 'environment', 'repo.tar.gz'))));
  });
}

async function packEmptyTree(archive: string, answer: string): Promise<void> {
  const tree = await makeTemporaryDirectory('standard');
  try {
    await writeFile(join(tree, 'README.md'), readme(answer));
    await packDirectory(tree, archive);
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

/** Writes the tests, the only place that holds expected values. */
async function writeTests(directory: string, { document, meta, grading }: StandardContent): Promise<void> {
  await writeFile(join(directory, 'standard.json'), document);
  await writeFile(join(directory, 'Dockerfile'), standardVerifierDockerfile(meta.language));
  await writeFile(join(directory, 'test.sh'), standardTestScript(grading), { mode: 0o755 });
  if ('impossible' in grading) return;
  await writeFile(
    join(directory, 'contract.json'),
    `${JSON.stringify({ version: 1, answer: meta.answer }, null, 1)}\n`,
  );
  for (const [name, bytes] of grading.files) {
    const path = join(directory, 'grader', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
}

/** Harbor's limits. A standard with many slow cases may take longer than a test suite. */
const AGENT_SECONDS = 1800;
const VERIFIER_SECONDS = 1800;

function standardTomlText(
  { name, description, meta, reference }: StandardContent,
  notCarried: readonly string[],
): string {
  return tomlText({
    schema_version: '1.4',
    artifacts: [{ source: WORKSPACE, exclude: [...notCarried] }],
    task: {
      name,
      description,
      keywords: [meta.standard.type, ...(meta.language ? [meta.language] : []), meta.pipeline],
    },
    agent: { timeout_sec: AGENT_SECONDS },
    verifier: { timeout_sec: VERIFIER_SECONDS, environment_mode: 'separate' },
    environment: { build_timeout_sec: 600, cpus: 1, memory_mb: 2048, storage_mb: 10240, workdir: WORKSPACE },
    metadata: {
      difficulty: reference ? difficulty(reference) : undefined,
      category: 'software-engineering',
      tags: [meta.kind, meta.language ?? meta.standard.type],
      assay: metadataTable({ ...meta, digest: BLANK_DIGEST }),
    },
  });
}

/** Rates a task by the lines of its reference, as for repository tasks. */
function difficulty({ files }: ChangeSet): string {
  const lines = files.reduce((sum, { content }) => sum + content.toString('latin1').trimEnd().split('\n').length, 0);
  return lines <= 10 ? 'easy' : lines <= 60 ? 'medium' : 'hard';
}
