import { z } from 'zod';
import type { SplitPlan } from '@assay/protocol';
import type { ExecResult } from '@assay/sandbox';
import type { Evaluation } from '../../ecosystems/split-facet.ts';
import {
  openToolBox,
  readEnd,
  requestLine,
  TOOL_TIMEOUT_MS,
  toolFailed,
  type OracleBox,
  type ToolBox,
} from './run-tool.ts';

const EvaluationShape: z.ZodType<Evaluation> = z.object({
  tests: z.record(
    z.string(),
    z.object({
      sites: z.record(
        z.string(),
        z.object({
          count: z.number(),
          outcome: z.enum(['true', 'false', 'undecidable', 'error']),
          detail: z.string().optional(),
        }),
      ),
      why: z.string().optional(),
    }),
  ),
  problems: z.array(z.string()),
});

/** How long it waits for what was observed: as long as it must, since its time limit only begins then. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * The program that compares what stripped tests observed with what they expect, in a sandbox of its own. It has the plan,
 * and where the provider is interactive it runs and waits: what it needs is loaded when the tests come to their end. It
 * takes one set of observations.
 */
export class Evaluator {
  readonly #tool: ToolBox;
  readonly #request: string;
  readonly #signal: AbortSignal | undefined;
  readonly #stopping = new AbortController();
  readonly #observed = Promise.withResolvers<string>();
  readonly #end: Promise<ExecResult> | null;

  private constructor(tool: ToolBox, plan: SplitPlan, { provider, signal }: OracleBox) {
    this.#tool = tool;
    this.#request = requestLine({ mode: 'evaluate', plan });
    this.#signal = signal;
    this.#end = provider.interactive === true ? this.#run(this.#input(), LONGEST_WAIT_MS) : null;
    // Whoever evaluates hears of it; when nobody does it is no matter.
    this.#end?.catch(() => undefined);
  }

  static async open(box: OracleBox, plan: SplitPlan): Promise<Evaluator> {
    return new Evaluator(await openToolBox(box), plan, box);
  }

  /** Throws `SPLIT_TOOL_FAILED` when there is no answer. */
  async evaluate(observed: string): Promise<Evaluation> {
    this.#observed.resolve(observed);
    const timer = setTimeout(() => this.#stopping.abort(), TOOL_TIMEOUT_MS);
    try {
      const end = await (this.#end ?? this.#run(this.#request + observed, TOOL_TIMEOUT_MS));
      return readEnd(end, EvaluationShape);
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (this.#stopping.signal.aborted) throw toolFailed('it takes too long', 0);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async dispose(): Promise<void> {
    await this.#tool.sandbox.destroy();
  }

  #run(stdin: string | AsyncIterable<string>, timeout: number): Promise<ExecResult> {
    const { sandbox, argv } = this.#tool;
    const { signal } = this.#stopping;
    const signals = this.#signal ? AbortSignal.any([this.#signal, signal]) : signal;
    return sandbox.exec('', { argv, stdin, timeout, signal: signals });
  }

  async *#input(): AsyncGenerator<string> {
    yield this.#request;
    yield await this.#observed.promise;
  }
}
