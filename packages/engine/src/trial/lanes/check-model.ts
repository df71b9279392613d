import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import type { ModelDialect } from '@assay/lanes/model-lane/contract';
import { LANE_DIALECTS } from '@assay/lanes/model-lane/dialects/lane-dialects';
import { openaiAddress } from '@assay/lanes/model-lane/dialects/openai-chat';
import { isProxied } from '@assay/lanes/model-lane/endpoint';
import { readCapped } from '@assay/lanes/models/read-capped';

const ANSWER_BYTES = 64 * 1024;
const ANSWER_MS = 10_000;
/** How services say that they have no such model; others answer so for a path that they do not know. */
const UNKNOWN = z.object({
  error: z.union([
    z.object({ message: z.string(), code: z.literal('model_not_found') }),
    z.object({ message: z.string(), type: z.literal('not_found_error') }),
    z.object({ message: z.string(), status: z.literal('NOT_FOUND') }),
  ]),
});

export interface ModelQuestion {
  base: URL;
  dialect: ModelDialect;
  name: string;
  apiKey: string | undefined;
}

/**
 * Asks the service once, before anything runs, whether it has a model. Throws `BAD_OPTION` when it says that it has
 * none of that name, or that the key is wrong; whatever else it says, or does not say, tells nothing, as not every
 * service can be asked.
 */
export async function checkModel({ base, dialect, name, apiKey }: ModelQuestion, signal?: AbortSignal): Promise<void> {
  if (isProxied(base)) return;
  const { keyHeaders, headersUp } = LANE_DIALECTS[dialect];
  const late = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(addressOf(base, dialect, name), {
    headers: { accept: 'application/json', ...headersUp({}, []), ...(apiKey === undefined ? {} : keyHeaders(apiKey)) },
    redirect: 'error',
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
  })
    .then(async (response) => ({ status: response.status, text: (await readCapped(response, ANSWER_BYTES)) ?? '' }))
    .catch(() => null);
  if (signal?.aborted) throw new AssayError('INTERRUPTED');
  if (answer === null) return;
  // A key may be allowed to ask models, and not to look at the list.
  if (answer.status === 401 && !/scope|permission/i.test(answer.text))
    throw new AssayError('BAD_OPTION', { option: '--endpoint', detail: `${base.origin} refuses the key` });
  const message = answer.status === 404 ? UNKNOWN.safeParse(parse(answer.text)).data?.error.message : undefined;
  if (message?.includes(name))
    throw new AssayError('BAD_OPTION', {
      option: '--model',
      detail: `${base.origin} has no model that is called ${name}`,
    });
}

function addressOf(base: URL, dialect: ModelDialect, name: string): URL {
  const path = `/models/${name.split('/').map(encodeURIComponent).join('/')}`;
  switch (dialect) {
    case 'openai-chat':
    case 'openai-responses':
      return openaiAddress(base, path);
    case 'anthropic-messages':
      return LANE_DIALECTS[dialect].address(base, `/v1${path}`);
    case 'gemini':
      return LANE_DIALECTS[dialect].address(base, `/v1beta${path}`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
