import type { SampleGrade } from '@assay/bax/grade/sample-grade';
import type {
  RecordedTrial,
  SubmissionManifest,
  Trajectory,
  TrajectoryStep,
  TrajectoryToolCall,
} from '@assay/protocol';
import { foldText } from './fold-text.ts';
import { formatDuration } from './format-duration.ts';
import { formatReward, paintOutcome } from './outcome.ts';
import { renderSampleGrade } from './render-sample-grade.ts';
import { renderVerdict } from './render-verdict.ts';
import type { Terminal } from './terminal.ts';

/** Lines that stay of a folded text: of results more of the end, where errors stand. */
const FOLDS = {
  said: { head: 30, tail: 5 },
  call: { head: 12, tail: 2 },
  result: { head: 8, tail: 6 },
  log: { head: 30, tail: 20 },
};
const MOST_FILES = 40;

/**
 * The trial in one line, then step by step, then what was handed over and how it was graded. `grade`: of tasks of
 * scenarios, every test with its evidence.
 */
export function renderTrial(
  { trial, verdict, submission, log, trajectory }: RecordedTrial,
  { full, grade }: { full: boolean; grade?: SampleGrade },
  terminal: Terminal,
): string {
  const writer = new TranscriptWriter(full, terminal);
  const { id, agent, agentVersion, outcome } = trial;
  const who = [agent, ...(agentVersion === undefined ? [] : [agentVersion])].map(terminal.foreign).join(' ');
  const result = `${paintOutcome(outcome, outcome, terminal)}, reward ${formatReward(trial.reward)}`;
  writer.line(
    `${terminal.style('bold', terminal.foreign(id))}  ${who}  ${result}, ${formatDuration(trial.durationMs)}`,
  );
  if (trial.note !== undefined) writer.line(terminal.style('dim', terminal.foreign(trial.note)));
  if (trajectory === null) writer.log(log);
  else writer.trajectory(trajectory);
  if (submission !== null) writer.submission(submission);
  if (verdict !== null) writer.section('verdict', renderVerdict(verdict, terminal));
  if (grade) writer.section('grade', renderSampleGrade(grade, terminal));
  return writer.text();
}

class TranscriptWriter {
  readonly #lines: string[] = [];
  readonly #full: boolean;
  readonly #terminal: Terminal;

  constructor(full: boolean, terminal: Terminal) {
    this.#full = full;
    this.#terminal = terminal;
  }

  line(text: string): void {
    this.#lines.push(text);
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  log(log: string): void {
    this.#heading(log.trim() === '' ? "the agent's log is empty" : "the agent's log");
    this.#block(log, FOLDS.log, '  ');
  }

  trajectory(trajectory: Trajectory): void {
    const sides = trajectory.subagent_trajectories ?? [];
    const tell = (after: (at: number) => boolean): void => {
      for (const side of sides) if (after(Number(side.extra?.['after_step'] ?? 0))) this.#side(side);
    };
    tell((at) => at <= 0);
    for (const step of trajectory.steps) {
      this.#step(step, '');
      tell((at) => at === step.step_id);
    }
    tell((at) => at > trajectory.steps.length);
    if (trajectory.notes !== undefined)
      this.line(this.#terminal.style('dim', this.#terminal.foreign(trajectory.notes)));
    this.#totals(trajectory);
  }

  submission({ files, deleted, dropped }: SubmissionManifest): void {
    const { foreign } = this.#terminal;
    this.#heading(`submission: ${files.length} changed, ${deleted.length} deleted`);
    const lines = [
      ...files.map(
        ({ path, size, executable }) => `  ${foreign(path)}  ${size} bytes${executable ? ', executable' : ''}`,
      ),
      ...deleted.map((path) => `  deleted: ${foreign(path)}`),
      ...dropped.map(({ path, reason }) => `  left out: ${foreign(path)} (${foreign(reason)})`),
    ];
    const kept = this.#full ? lines : lines.slice(0, MOST_FILES);
    this.#lines.push(...kept, ...(kept.length < lines.length ? [`  … and ${lines.length - kept.length} more`] : []));
  }

  section(title: string, text: string): void {
    this.#heading(title);
    this.line(text.trimEnd());
  }

  #heading(text: string): void {
    this.#lines.push('', this.#terminal.style('bold', text));
  }

  /** A conversation beside the main one: marked by its indentation. */
  #side(side: Trajectory): void {
    this.#lines.push(
      '',
      this.#terminal.style('dim', `│ beside the conversation (${this.#terminal.foreign(side.trajectory_id ?? '')})`),
    );
    for (const step of side.steps) this.#step(step, '│ ');
  }

  #step(step: TrajectoryStep, indent: string): void {
    const { style } = this.#terminal;
    const event = step.extra?.['event'] !== undefined;
    const name = event ? style('yellow', '!') : style(step.source === 'agent' ? ['bold', 'cyan'] : 'bold', step.source);
    const about = [
      ...(step.metrics ? [`${step.metrics.prompt_tokens} → ${step.metrics.completion_tokens} tokens`] : []),
      ...durationOf(step),
      ...(step.is_copied_context ? ['not said by the model'] : []),
      ...timesOf(step),
    ];
    const shown = about.length === 0 ? '' : style('dim', `  ${about.join(', ')}`);
    this.#lines.push('', `${indent}${style('dim', String(step.step_id).padStart(3))} ${name}${shown}`);
    if (step.reasoning_content !== undefined) this.#block(step.reasoning_content, FOLDS.said, `${indent}    ~ `);
    this.#block(step.message, step.source === 'system' && !event ? FOLDS.result : FOLDS.said, `${indent}    `);
    const results = step.observation?.results ?? [];
    for (const call of step.tool_calls ?? []) {
      this.#block(callText(call), FOLDS.call, `${indent}    `, 'cyan');
      for (const result of results)
        if (result.source_call_id === call.tool_call_id) this.#block(result.content, FOLDS.result, `${indent}    │ `);
    }
    for (const result of results)
      if (result.source_call_id === undefined) this.#block(result.content, FOLDS.result, `${indent}    │ `);
  }

  #totals({ final_metrics: metrics, agent }: Trajectory): void {
    if (metrics === undefined) return;
    const usd = metrics.total_cost_usd === undefined ? '' : `, ${metrics.total_cost_usd.toFixed(4)} US dollars`;
    const model = agent.model_name === undefined ? 'model' : this.#terminal.foreign(agent.model_name);
    const requests = Number(metrics.extra?.['requests'] ?? 0);
    const tokens = `${metrics.total_prompt_tokens} tokens in (${metrics.total_cached_tokens} cached)`;
    this.#heading(`${model}: ${requests} requests, ${tokens}, ${metrics.total_completion_tokens} out${usd}`);
  }

  #block(text: string, fold: { head: number; tail: number }, indent: string, style?: 'cyan'): void {
    const lines = foldText(text, this.#full ? null : fold);
    for (const line of lines) this.line(`${indent}${style === undefined ? line : this.#terminal.style(style, line)}`);
  }
}

/** The command where the tool is a shell, else name and arguments. */
function callText({ function_name: name, arguments: given }: TrajectoryToolCall): string {
  const command = given['command'] ?? given['cmd'];
  if (typeof command === 'string') return `$ ${command}`;
  if (Array.isArray(command)) return `$ ${command.map(String).join(' ')}`;
  const fields = Object.entries(given).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${name}${fields.length === 0 ? '' : ` ${fields.join('\n')}`}`;
}

function durationOf({ extra }: TrajectoryStep): string[] {
  const ms = extra?.['duration_ms'];
  return typeof ms === 'number' ? [formatDuration(ms)] : [];
}

function timesOf({ extra }: TrajectoryStep): string[] {
  const times = extra?.['times'];
  return typeof times === 'number' && times > 1 ? [`${times} times`] : [];
}
