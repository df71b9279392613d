import { performance } from 'node:perf_hooks';
import type { Examination, MineStage } from '@assay/protocol';

const MOST_LINES = 40;
const MOST_CHARACTERS = 400;

/** Tells how long a candidate spends in each stage; the time of a stage within another counts once, to the inner one. */
export class StageClock {
  readonly #milliseconds = new Map<MineStage, number>();
  readonly #running: MineStage[] = [];
  #since = 0;
  #failed: MineStage | undefined;
  #last: MineStage = 'read';

  async run<T>(stage: MineStage, work: () => Promise<T>): Promise<T> {
    this.#count();
    this.#running.push(stage);
    this.#last = stage;
    try {
      return await work();
    } catch (error) {
      this.#failed ??= stage;
      throw error;
    } finally {
      this.#count();
      this.#running.pop();
    }
  }

  /** How far it came until now. */
  examination(evidence: readonly string[]): Examination {
    const seconds: Examination['seconds'] = {};
    for (const [stage, spent] of this.#milliseconds) seconds[stage] = Math.round(spent) / 1000;
    const lines = evidence.slice(0, MOST_LINES).map((line) => line.slice(0, MOST_CHARACTERS));
    return { stage: this.#failed ?? this.#last, seconds, evidence: lines };
  }

  /** Counts the time since the last change to the stage that is running. */
  #count(): void {
    const now = performance.now();
    const stage = this.#running.at(-1);
    if (stage !== undefined) this.#milliseconds.set(stage, (this.#milliseconds.get(stage) ?? 0) + now - this.#since);
    this.#since = now;
  }
}
