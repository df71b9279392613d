import { readRegularFileBelow } from '@assay/files/read-regular-file';
import type { SentenceSource } from '@assay/protocol';
import { findResidue, isThin, quotesGold, scrubInstruction, type ScrubContext } from '../harden/scrub-instruction.ts';
import { readT0Tokens } from '../harden/t0-tokens.ts';
import { undisclosedSymbols, type Undisclosed } from '../harden/undisclosed-symbols.ts';
import { writeStatement } from '../harden/write-statement.ts';
import type { Built } from './2-build.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { interfaceLine } from './interface-line.ts';
import type { MineContext } from './mine-context.ts';
import { toldBy, type Statement, type Told } from './statement.ts';

/**
 * Stage 5: writes the instruction's text, from the candidate's message if it says enough, else by the model. Demands of
 * hidden tests beyond it are listed, for pipelines that disclose them, or stated by the model, or a reason to reject.
 * Throws `thin_statement` or `undisclosed_symbol`.
 */
export async function stateProblem(
  candidate: Candidate,
  built: Pick<Built, 't0Directory' | 'projectNames'>,
  { pipeline, model, strict }: Pick<MineContext, 'pipeline' | 'model' | 'strict'>,
): Promise<Statement> {
  const context = contextOf(candidate, built);
  const demanded = await demandsOf(candidate, built);
  const lists = pipeline.discloses && !strict;
  const source = pipeline.statementSource === 'advisory' ? 'advisory' : 'message';
  const fromMessage = statementOf(candidate, built, context, source);
  if (fromMessage && (lists || strict || demanded(fromMessage).length === 0 || !model))
    return disclose(fromMessage, demanded(fromMessage), lists);
  if (!model)
    throw new Rejection(
      'thin_statement',
      `the ${pipeline.statementSource} says only: ${candidate.message.trim().split('\n')[0]?.slice(0, 80)}`,
    );
  const demands = lists || strict ? [] : demanded(toldBy('model', '', '')).map(({ text }) => text);
  const written = await writeStatement(model, {
    message: candidate.message,
    reference: candidate.reference,
    diff: candidate.referenceDiff,
    context,
    demands,
  });
  if (!written) throw new Rejection('thin_statement', 'the model wrote nothing that is free of leaks');
  const [title = '', ...rest] = written.split('\n');
  const statement = toldBy('model', title.replace(/^#+\s*/, ''), rest.join('\n').trim());
  return disclose(statement, demanded(statement), lists);
}

function disclose(statement: Told, undisclosed: Undisclosed[], lists: boolean): Statement {
  const first = undisclosed[0];
  if (first && (!lists || interfaceLine(undisclosed) === null)) {
    throw new Rejection(
      'undisclosed_symbol',
      `${undisclosed.length} demanded, such as the ${first.kind} ${JSON.stringify(first.text.slice(0, 80))}`,
    );
  }
  return { ...statement, disclosed: undisclosed };
}

/** Scrubs the message; null when the result is thin, quotes the fix or still holds anything that must not be there. */
function statementOf(
  candidate: Candidate,
  { t0Directory }: Pick<Built, 't0Directory'>,
  context: ScrubContext,
  source: SentenceSource,
): Told | null {
  const { title, body } = scrubInstruction(candidate.message, context);
  const text = `${title}\n\n${body}`;
  const clean =
    findResidue(text, context).length === 0 &&
    quotesGold(text, candidate.reference, (path) => readRegularFileBelow(t0Directory, path)).length === 0;
  return clean && !isThin(title, body) ? toldBy(source, title, body) : null;
}

async function demandsOf(
  candidate: Candidate,
  { t0Directory }: Pick<Built, 't0Directory'>,
): Promise<(statement: Told) => Undisclosed[]> {
  const t0Tokens = await readT0Tokens(t0Directory);
  return ({ title, body }) =>
    undisclosedSymbols({
      reference: candidate.reference,
      tests: candidate.hidden,
      t0Directory,
      t0Tokens,
      instruction: `${title}\n${body}`,
      ecosystem: candidate.ecosystem,
    });
}

function contextOf(candidate: Candidate, { projectNames }: Pick<Built, 'projectNames'>): ScrubContext {
  const { identifiers, reference } = candidate;
  return {
    projectNames,
    knownTestNames: testNames(candidate),
    goldLines: addedLines(candidate),
    advisory: identifiers && {
      identifiers,
      sourcePaths: [...reference.files.map(({ path }) => path), ...reference.deleted],
    },
  };
}

function addedLines({ referenceDiff }: Candidate): string[] {
  return referenceDiff
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++'))
    .map((line) => line.slice(1).trim())
    .filter((line) => line.length >= 12);
}

/** Lists the paths of the hidden files and the names and titles in them, so that messages can be cleared of them. */
export function testNames({ hidden, ecosystem }: Pick<Candidate, 'hidden' | 'ecosystem'>): string[] {
  const titles = hidden.files
    .filter(({ path }) => ecosystem.codeFiles.test(path))
    .flatMap(({ content }) => ecosystem.tests.titles(content.toString('utf8')));
  return [...new Set([...hidden.files.map(({ path }) => path), ...titles])];
}
