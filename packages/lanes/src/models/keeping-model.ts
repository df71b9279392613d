import type { ModelExchange } from '@assay/protocol';
import type { ChatModel } from './contract.ts';

/** A model that hands on what it was asked and what it answered. */
export function keepingModel(model: ChatModel, keep: (exchange: ModelExchange) => void): ChatModel {
  return {
    async complete(request) {
      const answer = await model.complete(request);
      const { text, stop, servedBy, usage } = answer;
      keep({ system: request.system, user: request.user, answer: text, stop, servedBy, ...usage });
      return answer;
    },
  };
}
