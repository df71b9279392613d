import { readRegularFileBelow } from '@assay/files/read-regular-file';
import type { SentenceSource } from '@assay/protocol';
import { findResidue, isThin, quotesGold, scrubInstruction, type ScrubContext } from '../harden/scrub-instruction.ts';
import { writeStatement } from '../harden/write-statement.ts';
import type { Built } from './2-build.ts';
import { Rejection, type Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';
import { toldBy, type Told } from './statement.ts';

/**
 * Stage 5: writes the instruction's text, from the candidate's message if it says enough, else by the model. What
 * hidden tests demand beyond it is a matter of `disclose`. Throws `thin_statement`.
 */
export async function stateProblem(
  candidate: Candidate,
  built: Pick<Built, 't0Directory' | 'projectNames'>,
  { pipeline, model }: Pick<MineContext, 'pipeline' | 'model'>,
): Promise<Told> {
  const context = contextOf(candidate, built);
  const source = pipeline.statementSource === 'advisory' ? 'advisory' : 'message';
  const fromMessage = statementOf(candidate, built, context, source);
  if (fromMessage) return fromMessage;
  if (!model)
    throw new Rejection(
      'thin_statement',
      `the ${pipeline.statementSource} says only: ${candidate.message.trim().split('\n')[0]?.slice(0, 80)}`,
    );
  const written = await writeStatement(model, {
    message: candidate.message,
    reference: candidate.reference,
    diff: candidate.referenceDiff,
    context,
  });
  if (!written) throw new Rejection('thin_statement', 'the model wrote nothing that is free of leaks');
  const [title = '', ...rest] = written.split('\n');
  return toldBy('model', title.replace(/^#+\s*/, ''), rest.join('\n').trim());
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
