import { constants } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { AssayError, type DiffMetadata } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { bundleProgram } from '../../ecosystems/bundle-program.ts';
import type { CompareFacet } from '../../ecosystems/compare-facet.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import { writeChangeFiles } from '../change-files.ts';
import { checkArchive } from '../check-archive.ts';
import { linked } from '../copy-bundle.ts';
import { COMPOSE_FILE, WORKSPACE } from '../dockerfiles.ts';
import { notCarriedPatterns } from '../not-carried-patterns.ts';
import { solveScript } from '../solve-script.ts';
import { standardTestScript } from '../standard/standard-dockerfiles.ts';
import { difficulty, metadataTable } from '../task-toml.ts';
import { tomlText } from '../toml-text.ts';
import { BLANK_DIGEST, writeBundle } from '../write-task.ts';
import type { DiffContract } from './diff-contract.ts';
import { diffEnvironmentDockerfile, diffVerifierDockerfile } from './diff-dockerfiles.ts';

/** Everything that the bundle of a task is written from whose submissions are compared with the reference. */
export interface DiffContent {
  /** `org/name`. */
  name: string;
  /** One line for lists of tasks; agents do not see it. */
  description: string;
  /** The only text given to an agent. Markdown. */
  instruction: string;
  meta: Omit<DiffMetadata, 'digest'>;
  /** Gzipped tar of the tree at T0 with its fresh `.git`, member names relative to the repository. */
  repoTar: string;
  reference: ChangeSet;
  /** Unified diff of the reference, for people. */
  referenceDiff: string;
}

const AGENT_SECONDS = 1800;
const VERIFIER_SECONDS = 600;

/** Writes the bundle of a task whose submissions are compared; see `writeBundle`. */
export function writeDiffTask(directory: string, content: DiffContent): Promise<void> {
  const { compare } = ecosystemOf(content.meta.ecosystem);
  if (!compare) throw new AssayError('IMPOSSIBLE', { detail: `${content.meta.ecosystem} cannot compare sources` });
  return writeBundle(directory, async (draft) => {
    const [environment, tests, solution] = ['environment', 'tests', 'solution'].map((name) => join(draft, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(await inNew(draft, 'instruction.md'), content.instruction);
    await writeFile(await inNew(environment, 'Dockerfile'), diffEnvironmentDockerfile(compare));
    await writeFile(await inNew(environment, 'docker-compose.yaml'), COMPOSE_FILE);
    await copyFile(content.repoTar, join(environment, 'repo.tar.gz'), constants.COPYFILE_FICLONE);
    await writeChangeFiles(solution, content.reference);
    await writeFile(join(solution, 'solve.sh'), solveScript(content.reference), { mode: 0o755 });
    await writeFile(join(solution, 'reference.diff'), content.referenceDiff);
    await writeTests(tests, compare, content);
    const archive = join(environment, 'repo.tar.gz');
    const second = await inNew(join(tests, 'environment'), 'repo.tar.gz');
    if (!(await linked(archive, second))) await copyFile(archive, second);
    return diffTomlText(content, notCarriedPatterns(await checkArchive(archive)));
  });
}

async function inNew(directory: string, name: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  return join(directory, name);
}

async function writeTests(tests: string, compare: CompareFacet, { meta, reference }: DiffContent): Promise<void> {
  await writeFile(await inNew(tests, 'docker-compose.yaml'), COMPOSE_FILE);
  await writeFile(join(tests, 'Dockerfile'), diffVerifierDockerfile(compare));
  const grader = await graderFiles();
  const script = standardTestScript(
    meta.judged ? { impossible: 'a model has to judge this. Grade it with `assay grade`.' } : { files: grader },
  );
  await writeFile(join(tests, 'test.sh'), script, { mode: 0o755 });
  const { steering, codeFiles } = ecosystemOf(meta.ecosystem);
  const contract: DiffContract = {
    version: 1,
    profile: meta.profile,
    command: [...compare.command],
    code: codeFiles.source,
    steering: steering.map((glob) => picomatch.makeRe(glob, { dot: true }).source),
  };
  await writeFile(join(tests, 'contract.json'), `${JSON.stringify(contract, null, 1)}\n`);
  await writeChangeFiles(join(tests, 'reference'), reference);
  for (const [directory, files] of [
    ['compare', await compare.files()],
    ['grader', grader],
  ] as const)
    for (const [name, bytes] of files) await writeFile(await inNew(join(tests, directory), name), bytes);
}

/** Only compiled: nothing of it is loaded here. */
const GRADER = join(import.meta.dirname, '..', '..', 'verify', 'diff', 'grader');

let built: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

/** The grader, compiled into one file that needs only Node. */
function graderFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  built ??= bundleProgram({ directory: GRADER, entry: 'grade' }).then(
    ({ code, licences }) =>
      new Map([
        ['grade.mjs', code],
        ['THIRD-PARTY-LICENCES', Buffer.from(licences)],
      ]),
  );
  built.catch(() => (built = undefined));
  return built;
}

function diffTomlText({ name, description, meta, referenceDiff }: DiffContent, notCarried: readonly string[]): string {
  return tomlText({
    schema_version: '1.4',
    artifacts: [{ source: WORKSPACE, exclude: [...notCarried] }],
    task: { name, description, keywords: [meta.ecosystem, meta.kind, meta.pipeline] },
    agent: { timeout_sec: AGENT_SECONDS },
    verifier: { timeout_sec: VERIFIER_SECONDS, environment_mode: 'separate' },
    environment: { build_timeout_sec: 600, cpus: 1, memory_mb: 2048, storage_mb: 10240, workdir: WORKSPACE },
    metadata: {
      difficulty: difficulty(referenceDiff),
      category: 'software-engineering',
      tags: [meta.kind, meta.ecosystem],
      assay: metadataTable({ ...meta, digest: BLANK_DIGEST }),
    },
  });
}
