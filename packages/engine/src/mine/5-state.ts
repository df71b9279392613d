import { findResidue } from '../harden/scrub-instruction.ts';
import { writeStatement } from '../harden/write-statement.ts';
import type { Built } from './2-build.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { composeStatement, type Composed, type Gates } from './compose-statement.ts';
import { changeWords, gatesOf } from './gates-of.ts';
import type { MineContext } from './mine-context.ts';
import { toldBy, withItems, type Told } from './statement.ts';
import { namesOf, type ToldBehaviour } from './tell-behaviour.ts';

/** Chooses what the instruction tells of what hidden tests ask for, of sentences that may stand in it. */
export type TellsBehaviour = (isClean: (sentence: string) => boolean) => Promise<ToldBehaviour | null>;

/**
 * Stage 5: writes the instruction's text, of all that tells the problem if it says enough, else of what hidden tests
 * ask for, else by the model. A title alone gets some of the behaviour beside it. What hidden tests demand beyond it is
 * a matter of `disclose`. Throws `thin_statement`.
 */
export async function stateProblem(
  candidate: Candidate,
  built: Pick<Built, 't0Directory' | 'projectNames'>,
  { pipeline, model }: Pick<MineContext, 'pipeline' | 'model'>,
  tellsBehaviour: TellsBehaviour = async () => null,
): Promise<Told> {
  const source = pipeline.statementSource === 'advisory' ? 'advisory' : 'message';
  const texts = candidate.sources ?? [{ source, text: candidate.message }];
  const gates = await gatesOf(candidate, built, texts);
  if (candidate.stated) return requireClean(candidate.stated, gates);
  const composed = composeStatement(texts, gates);
  const enough = composed?.subject && composed.outcome ? composed.statement : null;
  if (enough && enough.body !== '') return enough;
  const behaviour = await tellsBehaviour(
    (sentence) => findResidue(sentence, gates.context).length === 0 && !gates.quotes(sentence),
  );
  if (behaviour && (enough || saysEnough(behaviour)))
    return withBehaviour(enough ?? leadOf(composed, behaviour), behaviour);
  if (enough) return enough;
  if (!model) throw new Rejection('thin_statement', whyThin(pipeline.statementSource, candidate, composed));
  const { message, reference, referenceDiff: diff } = candidate;
  const known = texts.map(({ text }) => text).join('\n\n');
  const written = await writeStatement(model, {
    message: known || message,
    reference,
    diff,
    context: gates.context,
    words: await changeWords(candidate, built, null),
  });
  if (!written) throw new Rejection('thin_statement', 'the model wrote nothing that is free of leaks');
  const [title = '', ...rest] = written.split('\n');
  return toldBy('model', title.replace(/^#+\s*/, ''), rest.join('\n').trim());
}

/** What a pipeline tells itself is taken whole, or not at all. */
function requireClean(told: Told, { context, quotes }: Gates): Told {
  const text = `${told.title}\n\n${told.body}`;
  const [first] = findResidue(text, context);
  if (first) throw new Rejection('leak', `the statement holds a ${first.kind}: ${first.text.slice(0, 80)}`);
  if (quotes(text)) throw new Rejection('leak', 'the statement quotes the reference');
  return told;
}

function whyThin(source: string, { message }: Candidate, composed: Composed | null): string {
  const said = message.trim().split('\n')[0]?.slice(0, 80);
  if (composed === null) return `the ${source} tells nothing but the change: ${said}`;
  const missing = composed.subject ? 'what one observes' : 'what it is about';
  return `the ${source} says only, and not ${missing}: ${said}`;
}

/** With fewer words, a title says nothing beside the behaviour. */
const MIN_TITLE_WORDS = 3;

/** What is told of the problem, however thin, or a title made of what goes wrong. */
function leadOf(composed: Composed | null, { told }: ToldBehaviour): Told {
  if (composed && composed.statement.title.split(/\s+/).length >= MIN_TITLE_WORDS) return composed.statement;
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
