import type { ExecResult } from '@assay/sandbox';
import type { CliEnd, CliRecipe } from './cli-agent.ts';
import type { EventLog } from './event-log.ts';
import { oneLine } from './event-fields.ts';

/** The words at the start of every refusal by the model lane. */
const LANE_SAYS = /\blane: ([^"\\\n]+)/;

/**
 * Determines how a CLI ended. Its exit code is not a verdict: it may be 0 after an error and something else after
 * success. The sandbox's own report comes first, then the CLI's last words, and the exit code only when there are none.
 * Everything from the CLI is untrusted: for a stop, the lane's own `stopReason` is what counts.
 */
export function readEnd(recipe: CliRecipe, log: EventLog, exec: ExecResult): CliEnd {
  if (exec.outOfMemory) return { state: 'limits', detail: 'it needed more memory than the sandbox has' };
  if (exec.timedOut) return { state: 'limits', detail: 'its time was over' };
  const end = recipe.judge(log.events, exec.stderr) ?? recipe.exitCodes?.[exec.exitCode] ?? withoutWords(log, exec);
  if (end.state !== 'failed') return end;
  const [, reason] = LANE_SAYS.exec(end.detail) ?? [];
  return reason === undefined ? end : { state: 'stopped', detail: reason.trim() };
}

function withoutWords(log: EventLog, { exitCode, stderr, truncated }: ExecResult): CliEnd {
  if (truncated)
    return { state: 'failed', detail: 'it printed more than the sandbox keeps, and its result was not among that' };
  const lines = stderr.trimEnd().split('\n');
  const why = lines.find((line) => /\berror\b/i.test(line)) ?? lines.at(-1) ?? '';
  const detail = oneLine(`exit ${exitCode} without a result${why === '' ? '' : `: ${why}`}`);
  return { state: log.seen === 0 ? 'could-not-work' : 'failed', detail };
}
