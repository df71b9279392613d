import { JudgePromptStandard } from '@assay/protocol';
import { useFakeModelServer, type FakeModelRequest, type FakeModelServer, type FakeResponder } from '@assay/testkit';
import { openChatModel, type ChatModelOptions } from '@assay/lanes/models/chat-model';
import { judgeByModel, type ModelJudgement, type ModelJudgeOptions } from './judge-by-model.ts';

export const STANDARD = JudgePromptStandard.parse({
  type: 'judge_prompt',
  prompt: 'An essay on tea.',
  criteria: ['facts', 'style', 'length'],
  weights: [50, 30, 20],
});
export const ESSAY = 'Tea is a drink made of leaves.\n';

export interface JudgeSetting extends Partial<ModelJudgeOptions> {
  chat?: Partial<ChatModelOptions>;
  standard?: JudgePromptStandard;
}

/** Judges essays by {@link STANDARD} with a model that answers as `respond` says. */
export async function withJudge(
  respond: FakeResponder,
  use: (
    judge: (submission?: string | Uint8Array, setting?: JudgeSetting) => Promise<ModelJudgement>,
    server: FakeModelServer,
  ) => Promise<void>,
): Promise<void> {
  const server = await useFakeModelServer(respond);
  const endpoint = `${server.endpoints.openai}?tenant=secret`;
  await use((submission = ESSAY, { chat, standard = STANDARD, ...options } = {}) => {
    const model = openChatModel({
      endpoint: server.endpoints.openai,
      model: 'm-1',
      apiKey: 'the-key',
      backOffMs: 1,
      attempts: 2,
      ...chat,
    });
    return judgeByModel(standard, Buffer.from(submission), { model, modelName: 'm-1', endpoint, ...options });
  }, server);
}

/** The number of the sample that a request is for, told by its framing. */
export function sampleOf({ system }: FakeModelRequest): number {
  return ['You assess', 'You review', 'You examine'].findIndex((start) => system.startsWith(start));
}
