import { createHash } from 'node:crypto';
import type { RepositoryMetadata } from '@assay/protocol';
import type { TaskContent } from '../../bundle/task.ts';
import { writeTask } from '../../bundle/write-task.ts';
import { digestChange } from '../../files/digest-change.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { readRegularFile } from '../../harden/leak-scan/read-regular-file.ts';
import { findResidue, isThin, quotesGold, scrubInstruction, type ScrubContext } from '../../harden/scrub-instruction.ts';
import { readT0Tokens } from '../../harden/t0-tokens.ts';
import { undisclosedSymbols, type Undisclosed } from '../../harden/undisclosed-symbols.ts';
import { writeStatement } from '../../harden/write-statement.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import { Rejection, type Candidate } from '../candidate.ts';
import type { Built, Rebuilt } from './2-build.ts';
import type { Proven } from './3-prove.ts';

export interface Statement { title: string; body: string }

/**
 * The instruction's text: from the commit message when it says enough and tells what hidden tests demand, else from the model, which is
 * told the demands. Throws `thin_statement` or `undisclosed_symbol`.
 */
export async function stateProblem(candidate: Candidate, rebuilt: Rebuilt, model: ChatModel | null): Promise<Statement> {
  const context = { projectNames: rebuilt.projectNames, knownTestNames: testNames(candidate), goldLines: addedLines(candidate) };
  const demanded = await demandsOf(candidate, rebuilt);
  const fromMessage = statementOf(candidate, rebuilt, context);
  if (fromMessage && (demanded(fromMessage).length === 0 || !model)) return requireDisclosed(fromMessage, demanded);
  if (!model) throw new Rejection('thin_statement', `the message says only: ${candidate.message.trim().split('\n')[0]?.slice(0, 80)}`);
  const demands = demanded({ title: '', body: '' }).map(({ text }) => text);
  const written = await writeStatement(model, { message: candidate.message, reference: candidate.reference, diff: candidate.referenceDiff, context, demands });
  if (!written) throw new Rejection('thin_statement', 'the model wrote nothing that is free of leaks');
  const [title = '', ...rest] = written.split('\n');
  return requireDisclosed({ title: title.replace(/^#+\s*/, ''), body: rest.join('\n').trim() }, demanded);
}

/** The scrubbed message; null when it is thin, quotes the fix, or anything is left in it that must not be. */
function statementOf(candidate: Candidate, { t0Directory }: Rebuilt, context: ScrubContext): Statement | null {
  const { title, body } = scrubInstruction(candidate.message, context);
  const text = `${title}\n\n${body}`;
  const clean = findResidue(text).length === 0 && quotesGold(text, candidate.reference, (path) => readRegularFile(t0Directory, path)).length === 0;
  return clean && !isThin(title, body) ? { title, body } : null;
}

async function demandsOf(candidate: Candidate, { t0Directory }: Rebuilt): Promise<(statement: Statement) => Undisclosed[]> {
  const t0Tokens = await readT0Tokens(t0Directory);
  return ({ title, body }) => undisclosedSymbols({
    reference: candidate.reference, tests: candidate.hidden, t0Directory, t0Tokens, instruction: `${title}\n${body}`, language: candidate.ecosystem.id,
  });
}

function requireDisclosed(statement: Statement, demanded: (statement: Statement) => Undisclosed[]): Statement {
  const undisclosed = demanded(statement);
  const first = undisclosed[0];
  if (first) throw new Rejection('undisclosed_symbol', `${undisclosed.length} demanded, such as the ${first.kind} ${JSON.stringify(first.text.slice(0, 80))}`);
  return statement;
}

export interface WriteRequest { candidate: Candidate; repository: ImportedRepository; built: Built; proven: Proven; statement: Statement; directory: string }

/** Stage 4: the bundle, unproven yet. Returns its name. */
export async function write({ candidate, repository, built, proven, statement, directory }: WriteRequest): Promise<string> {
  const meta: Omit<RepositoryMetadata, 'digest'> = {
    version: 1,
    kind: 'repository',
    pipeline: 'commit_runtime',
    source: repository.origin,
    base_commit: candidate.parent,
    t0: candidate.t0.toISOString(),
    fail_to_pass: proven.failToPass,
    pass_to_pass: proven.passToPass,
    quarantined: proven.quarantined,
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

function instructionText({ title, body }: Statement): string {
  return `# ${title}\n\n${body === '' ? '' : `${body}\n\n`}The repository is at /workspace. Change its source so that the behaviour described above is right.\n`;
}

/** Tells candidates apart without naming a commit. */
function nameHash(candidate: Candidate): string {
  return createHash('sha256').update(`${digestChange(candidate.reference)}${digestChange(candidate.hidden)}`).digest('hex').slice(0, 8);
}

function addedLines({ referenceDiff }: Candidate): string[] {
  return referenceDiff.split('\n').filter((line) => line.startsWith('+') && !line.startsWith('+++')).map((line) => line.slice(1).trim()).filter((line) => line.length >= 12);
}

/** Names of tests as languages define them, for striking them out of messages. */
function testNames({ hidden }: Candidate): string[] {
  const names = new Set<string>();
  for (const file of hidden.files) {
    names.add(file.path);
    for (const match of file.content.toString('utf8').matchAll(/\bdef (test_\w+)/g)) if (match[1]) names.add(match[1]);
  }
  return [...names];
}
