import type { ModelLaneEntry } from '@assay/lanes/model-lane/contract';
import { readAnswer } from '@assay/lanes/model-lane/read-answer';
import type { Trajectory, TrajectoryStep, TrajectoryTotals } from '@assay/protocol';
import type { Conversation } from './conversation/conversation.ts';
import { readConversation } from './conversation/read-conversation.ts';
import { marksOf, Thread, type StepDraft } from './thread.ts';

export interface TrajectoryOptions {
  /** Who asked. Default: `unknown`. */
  agent?: { name: string; version?: string };
  /** Names the run. */
  sessionId?: string;
  /** Goes into `notes`. */
  notes?: string;
}

/**
 * The trajectory that the records of a model lane tell, in the order they were written. What each request repeats of
 * the conversation is there once. Conversations beside the first one that offers tools (titles, summaries, sub-agents)
 * are embedded trajectories, marked `extra.side_request`; what the lane refused, and why it stopped, are system steps
 * with `extra.event`.
 */
export function readTrajectory(entries: Iterable<ModelLaneEntry>, options: TrajectoryOptions = {}): Trajectory {
  const builder = new TrajectoryBuilder();
  for (const entry of entries) builder.add(entry);
  return builder.finish(options);
}

/** As {@link readTrajectory}, one entry at a time: holds the conversations, not the requests. */
export class TrajectoryBuilder {
  #order = 0;
  readonly #threads: Thread[] = [];
  readonly #events: (StepDraft & { key: string })[] = [];
  readonly #totals = { requests: 0, prompt: 0, completion: 0, cached: 0, usd: 0, priced: true, estimated: 0 };

  add(entry: ModelLaneEntry): void {
    this.#order += 1;
    this.#count(entry);
    const conversation = readConversation(entry);
    const thread = conversation === null ? null : this.#threadOf(conversation, entry);
    const answer = thread === null ? null : readAnswer(entry);
    if (thread !== null && answer !== null) thread.answer(answer, entry, this.#order);
    if (entry.outcome !== 'answered') this.#tell(entry);
  }

  finish({ agent, sessionId, notes }: TrajectoryOptions = {}): Trajectory {
    const main = this.#threads.find(({ tools }) => tools.length > 0) ?? this.#threads[0] ?? null;
    const parts = main === null ? [] : this.#continuations(main);
    const begun: StepDraft[] = parts
      .slice(1)
      .map(({ firstOrder }) => ({
        order: firstOrder,
        step: { source: 'system', message: 'The client began the conversation anew.', extra: { event: 'rewritten' } },
      }));
    const drafts = [...begun, ...parts.flatMap((thread) => thread.steps), ...this.#events];
    const steps = number(drafts);
    const identity = { name: agent?.name ?? 'unknown', version: agent?.version ?? 'unknown' };
    const sides = this.#threads.filter((thread) => !parts.includes(thread));
    return {
      schema_version: 'ATIF-v1.7',
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      agent: { ...identity, ...modelOf(main), ...toolsOf(main) },
      steps:
        steps.length > 0
          ? steps
          : [
              {
                step_id: 1,
                source: 'system',
                message: 'No request came to the model lane.',
                extra: { event: 'nothing' },
              },
            ],
      ...(notes === undefined ? {} : { notes }),
      final_metrics: this.#metrics(steps.length),
      ...(sides.length === 0
        ? {}
        : {
            subagent_trajectories: sides.map((thread, index): Trajectory => ({
              schema_version: 'ATIF-v1.7',
              trajectory_id: `side-${index + 1}`,
              agent: { ...identity, ...modelOf(thread), ...toolsOf(thread) },
              steps: number(thread.steps),
              extra: { side_request: true, after_step: drafts.filter(({ order }) => order < thread.firstOrder).length },
            })),
          }),
    };
  }

  #threadOf(conversation: Conversation, { time }: ModelLaneEntry): Thread {
    const order = this.#order;
    const marks = marksOf(conversation);
    const continued = this.#threads
      .map((thread) => ({ thread, repeated: thread.continuedBy(conversation, marks) }))
      .filter(({ repeated }) => repeated >= 0)
      .sort((a, b) => b.repeated - a.repeated)[0];
    const quoted = continued ? undefined : this.#threads.findLast((thread) => thread.isQuotedBy(conversation));
    const { thread, repeated } = continued ?? {
      thread: quoted ?? new Thread(conversation, order),
      repeated: quoted === undefined ? 0 : -1,
    };
    if (!this.#threads.includes(thread)) this.#threads.push(thread);
    thread.ask(conversation, { repeated, order, time });
    return thread;
  }

  #continuations(main: Thread): Thread[] {
    const parts = [main];
    for (const thread of this.#threads) if (parts.at(-1)?.goesOnIn(thread) === true) parts.push(thread);
    return parts;
  }

  /** Records an event. Repeats of the last one, as a stubborn client gets them, only raise its count. */
  #tell({ outcome, status, detail, method, path, sequence, time }: ModelLaneEntry): void {
    const key = `${outcome} ${status} ${detail} ${path}`;
    const last = this.#events.at(-1);
    if (last?.key === key && last.order === this.#order - 1) {
      last.order = this.#order;
      last.step.extra = { ...last.step.extra, times: Number(last.step.extra?.['times']) + 1 };
      return;
    }
    const message = `${EVENTS[outcome]} (${method} ${path}, ${status}): ${detail ?? 'no reason is on record'}`;
    this.#events.push({
      key,
      order: this.#order,
      step: {
        timestamp: time,
        source: 'system',
        message,
        extra: { event: outcome, status, detail, sequence, times: 1 },
      },
    });
  }

  #count({ usage }: ModelLaneEntry): void {
    this.#totals.requests += 1;
    if (usage === null) return;
    this.#totals.prompt += usage.inputTokens;
    this.#totals.completion += usage.outputTokens;
    this.#totals.cached += usage.cachedInputTokens;
    if (usage.estimated) this.#totals.estimated += 1;
    if (usage.usd === null) this.#totals.priced = false;
    else this.#totals.usd += usage.usd;
  }

  #metrics(steps: number): TrajectoryTotals {
    const { requests, prompt, completion, cached, usd, priced, estimated } = this.#totals;
    return {
      total_prompt_tokens: prompt,
      total_completion_tokens: completion,
      total_cached_tokens: cached,
      ...(priced ? { total_cost_usd: usd } : {}),
      total_steps: Math.max(steps, 1),
      extra: { requests, ...(estimated === 0 ? {} : { estimated }) },
    };
  }
}

const EVENTS: Record<ModelLaneEntry['outcome'], string> = {
  answered: '',
  refused: 'The lane refused a request',
  budget: 'The budget is spent',
  infrastructure: 'The service failed',
  'upstream-refused': 'The service refused a request',
  'client-gone': 'The client left before the end of the answer',
};

const number = (drafts: StepDraft[]): TrajectoryStep[] =>
  drafts.toSorted((a, b) => a.order - b.order).map(({ step }, index) => ({ step_id: index + 1, ...step }));

const modelOf = (thread: Thread | null): { model_name?: string } => (thread?.model ? { model_name: thread.model } : {});

const toolsOf = (thread: Thread | null): Pick<Trajectory['agent'], 'tool_definitions'> =>
  thread === null || thread.tools.length === 0 ? {} : { tool_definitions: thread.tools };
