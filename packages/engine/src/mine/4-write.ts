import { createHash } from 'node:crypto';
import type { RepositoryMetadata } from '@assay/protocol';
import type { TaskContent } from '../bundle/task.ts';
import { writeTask } from '../bundle/write-task.ts';
import { digestChange } from '@assay/files/digest-change';
import type { ImportedRepository } from '../git/import-repository.ts';
import type { Built } from './2-build.ts';
import type { Proven } from './3-prove.ts';
import type { Candidate } from './candidate.ts';
import { interfaceLine } from './interface-line.ts';
import type { Statement } from './state-problem.ts';

export interface WriteRequest {
  pipeline: string;
  candidate: Candidate;
  repository: ImportedRepository;
  built: Built;
  proven: Proven;
  statement: Statement;
  directory: string;
}

/** Stage 4: the bundle, unproven yet. Returns its name. */
export async function write({
  pipeline,
  candidate,
  repository,
  built,
  proven,
  statement,
  directory,
}: WriteRequest): Promise<string> {
  const meta: Omit<RepositoryMetadata, 'digest'> = {
    version: 1,
    kind: 'repository',
    pipeline,
    source: repository.origin,
    base_commit: candidate.parent,
    t0: candidate.t0.toISOString(),
    fail_to_pass: proven.failToPass,
    pass_to_pass: proven.passToPass,
    quarantined: proven.quarantined,
    absent: built.absent,
    specificity: statement.disclosed.length,
    test: proven.command,
    environment: built.environment.spec,
    network: 'none',
    steering: [...candidate.ecosystem.steering],
  };
  const name = `${repository.name}-${nameHash(candidate)}`;
  const content: TaskContent = {
    name: `assay/${name}`,
    description: statement.title,
    instruction: instructionText(statement),
    meta,
    repoTar: built.repoTar,
    environmentFiles: built.environment.bundleFiles,
    reference: candidate.reference,
    referenceDiff: candidate.referenceDiff,
    hidden: candidate.hidden,
  };
  await writeTask(directory, content);
  return name;
}

function instructionText({ title, body, disclosed }: Statement): string {
  const paragraphs = [
    body,
    interfaceLine(disclosed) ?? '',
    'The repository is at /workspace. Change its source so that the behaviour described above is right.',
  ];
  return `# ${title}\n\n${paragraphs.filter((text) => text !== '').join('\n\n')}\n`;
}

/** Tells candidates apart without naming a commit. */
function nameHash(candidate: Candidate): string {
  return createHash('sha256')
    .update(`${digestChange(candidate.reference)}${digestChange(candidate.hidden)}`)
    .digest('hex')
    .slice(0, 8);
}
