import type { TestedCall } from '../../ecosystems/function-facet.ts';
import { findResidue, scrubInstruction } from '../../harden/scrub-instruction.ts';
import type { Candidate } from '../candidate.ts';
import { gatesOf } from '../gates-of.ts';
import { toldBy, withItems, withParagraphs, type Told } from '../statement.ts';
import type { PlacedFunction } from './function-candidate.ts';

interface StateRequest {
  /** Examples that no hidden test asks for. */
  told: readonly TestedCall[];
  /** Hidden tests, each of another call. */
  heldBack: number;
  t0Directory: string;
  projectNames: string[];
}

/** Tells a function that has lost its body by its signature, its documentation and examples of what it answers. */
export async function stateFunction(
  candidate: Candidate,
  { path, found, facet }: PlacedFunction,
  { told, heldBack, ...built }: StateRequest,
): Promise<Told> {
  const { context, quotes } = await gatesOf(candidate, built, []);
  const isClean = (text: string): boolean => findResidue(text, context).length === 0 && !quotes(text);
  const verb = facet.raiseWord;
  const lead = `\`${found.name}\` in \`${path}\` has lost its body: every call ${verb}s \`${facet.stubError}\`. Give it one again. Its signature stays as it is: \`${found.signature}\`.`;
  const scrubbed = scrubInstruction(`Documentation\n\n${found.documentation}`, context).body;
  let statement = toldBy('code', `Write the body of \`${found.name}\``, lead);
  if (scrubbed !== '' && isClean(scrubbed))
    statement = withParagraphs(statement, 'code', `What its documentation says:\n\n${scrubbed}`);
  const items = told
    .map(({ call, result }) => {
      const answer = result.value ? facet.render(result.value) : '';
      return `\`${facet.renderCall(found, call)}\` ${result.does} \`${answer}\``;
    })
    .filter((item) => isClean(item));
  if (items.length === 0) return statement;
  const examples = { lead: 'Some of what is expected, by examples; the same holds for other values:', items };
  return { ...withItems(statement, 'behaviour', examples), behaviour: { told: items.length, held_back: heldBack } };
}
