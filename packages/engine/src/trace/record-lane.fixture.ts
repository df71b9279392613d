import type { ModelLaneEntry, ModelLaneOptions } from '@assay/lanes/model-lane/contract';
import { openLane } from '../../../lanes/src/model-lane/testing/scripted-upstream.ts';
import {
  DIALECT_CLIENTS,
  readEvents,
  type ReadAnswer,
  type Turn,
} from '../../../lanes/src/fake-model/dialect-clients.fixture.ts';
import type { FakeModelScriptInput } from '../../../lanes/src/fake-model/script.ts';
import { startFakeModel } from '../../../lanes/src/fake-model/start-fake-model.ts';

export type DialectName = keyof typeof DIALECT_CLIENTS;

export interface Asking {
  /** Sends the conversation and answers with what the model says; null when the lane did not answer. */
  ask: (dialect: DialectName, turns: Turn[], extra?: object) => Promise<ReadAnswer | null>;
  /** A whole agent: asks, answers every call with its result, until the model calls nothing. */
  drive: (
    dialect: DialectName,
    instruction: string,
    results: (call: ReadAnswer['calls'][number]) => string,
  ) => Promise<void>;
}

/** Runs `work` against a real lane to a fake model, and returns the lane's record. */
export async function recordLane(
  script: FakeModelScriptInput,
  work: (asking: Asking) => Promise<void>,
  options: Partial<ModelLaneOptions> & { streams?: boolean } = {},
): Promise<ModelLaneEntry[]> {
  const { streams = true, ...laneOptions } = options;
  const model = await startFakeModel({ script });
  try {
    const open = await openLane(model.origin, laneOptions);
    try {
      const endpoints = { openai: `${open.origin}/v1`, anthropic: open.origin, gemini: open.origin };
      const ask: Asking['ask'] = async (dialect, turns, extra = {}) => {
        const client = DIALECT_CLIENTS[dialect];
        const path = client.url(endpoints, streams).replace(open.origin, '').replace('/models/m:', '/models/m-1:');
        const answer = await open.post(path, {
          ...client.body(turns, streams, extra),
          ...(dialect === 'gemini' ? {} : { model: 'm-1' }),
        });
        const text = await answer.text();
        await open.settled();
        if (answer.status !== 200) return null;
        return streams ? client.gather(readEvents(text)) : client.read(JSON.parse(text));
      };
      const drive: Asking['drive'] = async (dialect, instruction, results) => {
        const turns: Turn[] = [{ user: instruction }];
        for (;;) {
          const answer = await ask(dialect, turns);
          if (answer === null || answer.calls.length === 0) return;
          turns.push({ answer, results: answer.calls.map(results) });
        }
      };
      await work({ ask, drive });
      return open.entries;
    } finally {
      await open.lane.close();
    }
  } finally {
    await model.close();
  }
}
