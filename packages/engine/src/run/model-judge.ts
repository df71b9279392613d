import type { ModelJudgeOptions } from '../judge/judge-prompt/judge-by-model.ts';
import { openChatModel } from '../models/chat-model.ts';

/** Where a model answers; its key is in the environment. */
export interface ModelAddress { endpoint: string; model: string }

/** As an option of `verifyTask`; nothing when there is no address. */
export function modelJudge(address: ModelAddress | undefined): { model?: ModelJudgeOptions } {
  if (!address) return {};
  const { endpoint, model } = address;
  return { model: { model: openChatModel({ endpoint, model }), modelName: model, endpoint } };
}

/** The address as it may be written down: no user, password, query or fragment. */
export function withoutSecrets({ endpoint, model }: ModelAddress): ModelAddress {
  const { origin, pathname } = new URL(endpoint);
  return { endpoint: `${origin}${pathname}`, model };
}
