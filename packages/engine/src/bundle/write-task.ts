import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { AssayError, type AssayMetadata, type Proof } from '@assay/protocol';
import { diskFull, isDiskFull } from '@assay/files/disk-full';
import { makeOutputDirectory, unwritable } from '@assay/files/output-place';
import { sweepDead } from '@assay/files/sweep-dead';
import { ecosystemOf } from '../ecosystems/index.ts';
import { bundleDigest, digestFiles, withDigest } from './bundle-digest.ts';
import { listBundle } from './bundle-files.ts';
import { checkPath, writeChangeFiles } from './change-files.ts';
import { checkArchive } from './check-archive.ts';
import { copyBundle, linked } from './copy-bundle.ts';
import { contractOf } from './contract.ts';
import { COMPOSE_FILE, environmentDockerfile, verifierDockerfile } from './dockerfiles.ts';
import { notCarriedPatterns } from './not-carried-patterns.ts';
import { readTask, readTaskOf } from './read-task.ts';
import { removeSplitOracle, writeSplitOracle, type SplitOracle } from './split-oracle.ts';
import { solveScript } from './solve-script.ts';
import { metadataTable, taskTomlText } from './task-toml.ts';
import type { TaskContent } from './task.ts';
import { testScript } from './test-script.ts';
import { tomlText, type TomlTable } from './toml-text.ts';

export const BLANK_DIGEST = `sha256:${'0'.repeat(64)}`;
/** Files of `environment/` that no ecosystem may provide. */
const OURS = new Set(['Dockerfile', 'docker-compose.yaml']);
const DRAFT = '.assay-draft-';
/** Errors of a rename onto a directory with entries, or onto something that is not a directory. */
const OCCUPIED = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

/** Writes the bundle of a repository task; see {@link writeBundle}. */
export function writeTask(directory: string, content: TaskContent): Promise<void> {
  return writeBundle(directory, async (draft) => {
    await writeFiles(draft, content);
    return taskTomlText(
      content,
      { ...content.meta, digest: BLANK_DIGEST },
      notCarriedPatterns(await checkArchive(content.repoTar)),
    );
  });
}

/**
 * Writes a bundle as a draft beside its place, then renames it, so that a directory of that name is always complete.
 * `fill` writes everything except task.toml and returns its text with {@link BLANK_DIGEST}. A bundle with the same
 * digest is left as it is; anything else in the place is `OUTPUT_OCCUPIED`, and a place that cannot be written
 * `OUTPUT_UNWRITABLE`. Removes the drafts of killed processes.
 */
export async function writeBundle(directory: string, fill: (draft: string) => Promise<string>): Promise<void> {
  const target = resolve(directory);
  await makeOutputDirectory(dirname(target));
  await removeStaleDrafts(dirname(target));
  const draft = await mkdtemp(join(dirname(target), `${DRAFT}${process.pid}-`)).catch((error: unknown) => {
    throw unwritable(target, error);
  });
  try {
    const blank = await fill(draft);
    await writeFile(join(draft, 'task.toml'), blank);
    const digest = await bundleDigest(draft);
    await writeFile(join(draft, 'task.toml'), withDigest(blank, digest));
    await chmod(draft, 0o755);
    await place(draft, target, digest);
  } catch (error) {
    throw isDiskFull(error) ? diskFull(target, error) : error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Writes a new proof and the resulting digest into task.toml by one rename. Throws as `readTask` does. */
export async function updateProof(directory: string, proof: Proof): Promise<void> {
  const { directory: root, meta } = await readTask(directory);
  const file = join(root, 'task.toml');
  const blank = await tomlWith(root, { ...meta, proof, digest: BLANK_DIGEST });
  const digest = await digestFiles(root, await listBundle(root), Buffer.from(blank));
  const draft = join(dirname(root), `${DRAFT}${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await writeFile(draft, withDigest(blank, digest));
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Writes a copy of a bundle with another oracle, or with none, and without a proof: what was proven was another
 * verifier. Throws as `readTask` and {@link writeBundle} do.
 */
export async function writeTaskWithSplit(directory: string, target: string, split: SplitOracle | null): Promise<void> {
  const { directory: root, meta } = await readTaskOf('repository', directory);
  await writeBundle(target, async (draft) => {
    await copyBundle(root, draft);
    await writeVerifier(draft, meta, split);
    return tomlWith(root, { ...meta, proof: undefined, digest: BLANK_DIGEST });
  });
}

/** The text of a bundle's task.toml with other metadata of ours. */
async function tomlWith(root: string, meta: AssayMetadata): Promise<string> {
  const text = await readFile(join(root, 'task.toml'), 'utf8');
  const { metadata, ...rest } = parse(text) as TomlTable & { metadata: TomlTable };
  return tomlText({ ...rest, metadata: { ...metadata, assay: metadataTable(meta) } });
}

async function writeFiles(draft: string, content: TaskContent): Promise<void> {
  const { environment } = content.meta;
  await writeFile(join(draft, 'instruction.md'), content.instruction);
  await writeEnvironment(draft, content);
  await writeChangeFiles(join(draft, 'solution'), content.reference);
  await writeFile(join(draft, 'solution', 'solve.sh'), solveScript(content.reference), { mode: 0o755 });
  await writeFile(join(draft, 'solution', 'reference.diff'), content.referenceDiff);
  await writeChangeFiles(join(draft, 'tests', 'hidden'), content.hidden);
  await writeFile(join(draft, 'tests', 'docker-compose.yaml'), COMPOSE_FILE);
  await writeFile(join(draft, 'tests', 'test.sh'), testScript(environment), { mode: 0o755 });
  await writeVerifier(draft, content.meta, content.split ?? null);
  const { grader, runner } = ecosystemOf(environment.ecosystem).image;
  const graderFile = fileURLToPath(grader.file);
  await copyFile(graderFile, join(draft, 'tests', basename(graderFile)));
  await cp(fileURLToPath(runner), join(draft, 'tests', 'runner'), {
    recursive: true,
    filter: (path) => !/\.[jt]s$|^__pycache__$/.test(basename(path)),
  });
}

/** What differs with and without an oracle. */
async function writeVerifier(draft: string, meta: TaskContent['meta'], split: SplitOracle | null): Promise<void> {
  if (split) await writeSplitOracle(draft, split, meta.test);
  else await removeSplitOracle(draft);
  const dockerfile = verifierDockerfile(meta.environment, { isSplit: split !== null });
  await writeFile(join(draft, 'tests', 'Dockerfile'), dockerfile);
  await writeFile(join(draft, 'tests', 'contract.json'), `${JSON.stringify(contractOf(meta, split), null, 1)}\n`);
}

/** Harbor builds the verifier's image from `tests/` alone, so files that both images need have a second name there. */
async function writeEnvironment(draft: string, content: TaskContent): Promise<void> {
  const files = new Map([...content.environmentFiles, ['repo.tar.gz', content.repoTar]]);
  for (const [path, source] of files) {
    if (OURS.has(path)) throw new AssayError('IMPOSSIBLE', { detail: `an environment brings its own ${path}` });
    const target = join(draft, 'environment', checkPath(draft, path));
    const second = join(draft, 'tests', 'environment', path);
    await mkdir(dirname(target), { recursive: true });
    await mkdir(dirname(second), { recursive: true });
    if (content.linksFiles !== true || !(await linked(source, target)))
      await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, 0o644);
    if (!(await linked(target, second))) await copyFile(target, second);
  }
  await writeFile(join(draft, 'environment', 'docker-compose.yaml'), COMPOSE_FILE);
  await writeFile(join(draft, 'environment', 'Dockerfile'), environmentDockerfile(content.meta.environment));
}

async function place(draft: string, target: string, digest: string): Promise<void> {
  try {
    await rename(draft, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && OCCUPIED.has(String(error.code))))
      throw unwritable(target, error);
    const there = await readTask(target).then(
      (task) => task.meta.digest,
      () => null,
    );
    if (there !== digest)
      throw new AssayError(
        'OUTPUT_OCCUPIED',
        { path: target, detail: there === null ? 'no whole task' : 'another task' },
        { cause: error },
      );
  }
}

/** Removes the drafts that killed processes left beside their tasks. */
export function removeStaleDrafts(parent: string): Promise<void> {
  return sweepDead(parent, new RegExp(`^\\${DRAFT}(\\d+)-`));
}
