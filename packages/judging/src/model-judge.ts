import type { ModelJudgeOptions } from './standards/judge-prompt/judge-by-model.ts';
import { openChatModel } from '@assay/lanes/models/chat-model';

/** Where a model answers; its key is in the environment. */
export interface ModelAddress {
  endpoint: string;
  model: string;
}

/**
 * As an option of `verifyTask`; nothing when there is no address. The key is in `ASSAY_JUDGE_KEY`; where no agent asks
 * another service, also in the variables of an agent's model. No service gets the key of another.
 */
export function modelJudge(
  address: ModelAddress | undefined,
  agentModel?: { endpoint: string; apiKey?: string | undefined },
): { model?: ModelJudgeOptions } {
  if (!address) return {};
  const { endpoint, model } = address;
  const isOther =
    agentModel !== undefined &&
    URL.canParse(endpoint) &&
    new URL(endpoint).origin !== new URL(agentModel.endpoint).origin;
  const keys = isOther
    ? { keyVariables: ['ASSAY_JUDGE_KEY'], foreignKey: agentModel.apiKey }
    : { keyVariables: ['ASSAY_JUDGE_KEY', 'ASSAY_MODEL_KEY'] };
  return { model: { model: openChatModel({ endpoint, model, ...keys }), modelName: model, endpoint } };
}

/** The address as it may be written down: no user, password, query or fragment. */
export function withoutSecrets({ endpoint, model }: ModelAddress): ModelAddress {
  const { origin, pathname } = new URL(endpoint);
  return { endpoint: `${origin}${pathname}`, model };
}
