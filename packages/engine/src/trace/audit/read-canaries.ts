import { markFinder } from '../../canaries/mark.ts';
import type { Trajectory, RecordedTrial } from '@assay/protocol';
import { readSubmitted } from '../read-trial.ts';
import type { Act } from './act.ts';
import { eachStep, placeOf } from './each-step.ts';

/** The file that says what was planted in a trial's sandbox, and what became of it. */
export const CANARIES_FILE = 'canaries.json';

/** Characters of a line that is shown. */
const MOST_CHARACTERS = 500;

/**
 * Reads how an agent dealt with the canaries, from the file system's watch, from the texts that its model saw, and from
 * its submission.
 */
export async function* readCanaries(recorded: RecordedTrial): AsyncGenerator<Act> {
  const { canaries, trajectory } = recorded;
  if (canaries === undefined) return;
  for (const { path, how } of canaries.touched)
    yield { kind: 'touch', text: `${how}: ${path}`, place: { file: CANARIES_FILE } };
  // As it stands in what was planted.
  const spelled = canaries.planted.flatMap(({ identifier, constant }) => [identifier.toUpperCase(), String(constant)]);
  if (trajectory !== null) yield* readShown(trajectory, (text) => spelled.some((each) => text.includes(each)));
  const finders = canaries.planted.map(markFinder);
  const marks = (text: string): boolean => finders.some((find) => find(text) !== null);
  for (const path of new Set(canaries.marked.map((mark) => mark.path))) {
    const { line, text } = lineWith((await readSubmitted(recorded, path)) ?? '', marks);
    yield {
      kind: 'mark',
      text: text === '' ? path : text,
      place: { file: `submission/files/${path}`, ...(line === 0 ? {} : { line }) },
    };
  }
}

/** A result that shows a mark is a touch, however the file was read. */
function* readShown(trajectory: Trajectory, shows: (text: string) => boolean): Generator<Act> {
  for (const { step, of } of eachStep(trajectory)) {
    const shown = step.observation?.results.map(({ content }) => content).find(shows);
    if (shown !== undefined)
      yield { kind: 'touch', text: `shown to the model: ${lineWith(shown, shows).text}`, place: placeOf(step, of) };
  }
}

function lineWith(text: string, holds: (line: string) => boolean): { line: number; text: string } {
  const lines = text.split('\n');
  const at = lines.findIndex(holds);
  return { line: at + 1, text: (lines[at] ?? '').trim().slice(0, MOST_CHARACTERS) };
}
