import type { Trajectory, TrajectoryStep, RecordedTrial, Place } from '@assay/protocol';
import { readSubmitted } from '../read-trial.ts';
import type { Act, FoundLines } from './act.ts';
import { eachStep, placeOf } from './each-step.ts';
import { readCanaries } from './read-canaries.ts';
import { readCall } from './read-call.ts';
import { readShell } from './read-shell.ts';

const LOG = 'logs/agent.txt';
const SUBMISSION = 'submission/files';

/** All that an agent did, by the lane's record, its log where it had no lane, and what it handed over. */
export async function* readActs(recorded: RecordedTrial): AsyncGenerator<Act> {
  const { trajectory, log } = recorded;
  if (trajectory === null) yield* readLog(log);
  else for (const { step, of } of eachStep(trajectory)) yield* readStep(step, of);
  yield* readCanaries(recorded);
  yield* readSubmission(recorded);
}

function* readStep(step: TrajectoryStep, of: Pick<Place, 'trajectory'>): Generator<Act> {
  const { extra, message, tool_calls: calls, is_copied_context: copied } = step;
  const place = placeOf(step, of);
  for (const call of calls ?? []) yield* readCall(call, place);
  if (copied === true) yield { kind: 'event', text: `not said by the model: ${message}`, place };
  if (extra?.['event'] !== undefined) yield { kind: 'event', text: message, place };
}

/** Shells and agents that tell their commands begin such a line with a prompt. The log is the agent's own word. */
function* readLog(log: string): Generator<Act> {
  for (const [index, line] of log.split('\n').entries()) {
    const command = /^(?:\$|#|\+{1,3}) (.+)/.exec(line)?.[1];
    if (command !== undefined) yield* readShell(command, { file: LOG, line: index + 1 });
  }
}

async function* readSubmission(recorded: RecordedTrial): AsyncGenerator<Act> {
  const wasShown = shownBefore(recorded.trajectory);
  for (const { path, newLines } of recorded.submission?.files ?? []) {
    const place: Place = { file: `${SUBMISSION}/${path}` };
    yield { kind: 'submitted-path', text: path, place };
    const text = await readSubmitted(recorded, path);
    const isOld =
      newLines === undefined
        ? (found: FoundLines) => wasShown(found.text)
        : ({ first, last }: FoundLines) => newLines.every(([from, to]) => to < first || from > last);
    if (text !== null) yield { kind: 'submitted-text', text, path, place, isOld };
  }
}

/**
 * For records that do not say which lines are new: whether a line stood in the repository before, as far as the record
 * tells. The agent was shown it before it wrote it anywhere. A changed file is handed over whole, and most of it is not
 * the agent's.
 */
function shownBefore(trajectory: Trajectory | null): (line: string) => boolean {
  const steps = trajectory === null ? [] : [...eachStep(trajectory)].map(({ step }) => step);
  return (line) => {
    const wanted = line.trim();
    if (wanted === '') return false;
    for (const { tool_calls: calls, observation } of steps) {
      if (
        calls?.some((call) =>
          Object.values(call.arguments).some((value) =>
            (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).includes(wanted),
          ),
        ) === true
      )
        return false;
      if (observation?.results.some(({ content }) => content.includes(wanted)) === true) return true;
    }
    return false;
  };
}
