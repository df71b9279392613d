import { readRegularFileBelow } from '@assay/files/read-regular-file';
import type { SentenceSource } from '@assay/protocol';
import { findResidue, isThin, quotesGold, scrubInstruction, type ScrubContext } from '../harden/scrub-instruction.ts';
import { writeStatement } from '../harden/write-statement.ts';
import type { Built } from './2-build.ts';
import { Rejection, type Candidate } from './candidate.ts';
import type { MineContext } from './mine-context.ts';
import { toldBy, withItems, type Told } from './statement.ts';
import { namesOf, type ToldBehaviour } from './tell-behaviour.ts';

/** Chooses what the instruction tells of what hidden tests ask for, of sentences that may stand in it. */
export type TellsBehaviour = (isClean: (sentence: string) => boolean) => Promise<ToldBehaviour | null>;

/**
 * Stage 5: writes the instruction's text, from the candidate's message if it says enough, else from what hidden tests
 * ask for, else by the model. A message that is a title alone gets some of the behaviour beside it. What hidden tests
 * demand beyond it is a matter of `disclose`. Throws `thin_statement`.
 */
export async function stateProblem(
  candidate: Candidate,
  built: Pick<Built, 't0Directory' | 'projectNames'>,
  { pipeline, model }: Pick<MineContext, 'pipeline' | 'model'>,
  tellsBehaviour: TellsBehaviour = async () => null,
): Promise<Told> {
  const context = contextOf(candidate, built);
  const source = pipeline.statementSource === 'advisory' ? 'advisory' : 'message';
  const fromMessage = statementOf(candidate, built, context, source);
  if (fromMessage && fromMessage.body !== '') return fromMessage;
  const ofCalls = { ...context, knownTestNames: context.knownTestNames.filter((name) => !isNameOfCode(name)) };
  const behaviour = await tellsBehaviour((sentence) => isClean(sentence, candidate, { built, context: ofCalls }));
  if (behaviour && (fromMessage || saysEnough(behaviour))) {
    const lead = fromMessage ?? leadOf(candidate, behaviour, { built, context, source });
    return withBehaviour(lead, behaviour);
  }
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
  built: Pick<Built, 't0Directory'>,
  context: ScrubContext,
  source: SentenceSource,
): Told | null {
  const { title, body } = scrubInstruction(candidate.message, context);
  const clean = isClean(`${title}\n\n${body}`, candidate, { built, context });
  return clean && !isThin(title, body) ? toldBy(source, title, body) : null;
}

interface Surroundings {
  built: Pick<Built, 't0Directory'>;
  context: ScrubContext;
}

const isClean = (text: string, { reference }: Candidate, { built, context }: Surroundings): boolean =>
  findResidue(text, context).length === 0 &&
  quotesGold(text, reference, (path) => readRegularFileBelow(built.t0Directory, path)).length === 0;

/** Suites are called after the functions that they test, and calls name these. */
const isNameOfCode = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name) && !/^test/i.test(name);

/** With fewer words, a title says nothing beside the behaviour. */
const MIN_TITLE_WORDS = 3;

/** What a thin message says, if anything, or a title made of what goes wrong. */
function leadOf(
  candidate: Candidate,
  { told }: ToldBehaviour,
  { source, ...surroundings }: Surroundings & { source: SentenceSource },
): Told {
  const { title, body } = scrubInstruction(candidate.message, surroundings.context);
  const says = title.split(/\s+/).length >= MIN_TITLE_WORDS && isClean(`${title}\n\n${body}`, candidate, surroundings);
  if (says) return toldBy(source, title, body);
  const names = [...new Set(told.flatMap(({ inputs }) => namesOf(inputs).split(',')))];
  return toldBy('behaviour', `What ${names.map((name) => `\`${name}\``).join(' and ')} should do, and does not`, '');
}

/** Whether behaviour alone states the problem: what is expected, or that something is raised which nobody asked for. */
const saysEnough = ({ tells, told }: ToldBehaviour): boolean =>
  tells === 'expectations' || told.some(({ kind, before }) => kind !== 'raises' && before?.does === 'raises');

const LEADS: Record<ToldBehaviour['tells'], string> = {
  expectations: 'Some of what is expected, by examples; the same holds for other values:',
  symptoms: 'What happens today, by an example; the same holds for other values:',
};

function withBehaviour(lead: Told, { tells, sentences, told, heldBack }: ToldBehaviour): Told {
  const items = { lead: LEADS[tells], items: sentences };
  return { ...withItems(lead, 'behaviour', items), behaviour: { told: told.length, held_back: heldBack } };
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
