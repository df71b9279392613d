import { defineCommand } from '../command.ts';
import { given } from './shared-options.ts';

export const gateway = defineCommand({
  name: 'gateway',
  summary: 'run the model lane alone, for an agent in a harness of your own',
  description: `Listens on 127.0.0.1 until Ctrl-C and passes requests on to one model service: the key stays here, what an agent gets is a token.
Only what docs/model-lane.md lists passes; tools that the service would run are taken out; budgets end the agent in a way that its client understands.
The key is in ASSAY_MODEL_KEY, or in the variable of the provider.`,
  example: 'assay gateway --endpoint http://127.0.0.1:8000/v1 --model small --budget-tokens 200000 --record record.jsonl',
  arguments: [],
  options: {
    endpoint: { kind: 'url', value: 'URL', required: true, description: 'base address of the service, without credentials' },
    model: { kind: 'list', value: 'NAME', required: true, description: 'exact name of a model that may be asked; may be repeated' },
    dialect: { kind: 'list', value: 'NAME', description: 'what the service speaks: openai-chat, openai-responses, anthropic-messages or gemini; may be repeated (default: by the address)' },
    port: { kind: 'count', value: 'N', description: 'of 127.0.0.1 (default: a free one)' },
    'budget-tokens': { kind: 'count', value: 'N', description: 'tokens, input and output together' },
    'budget-input-tokens': { kind: 'count', value: 'N', description: 'tokens of input' },
    'budget-output-tokens': { kind: 'count', value: 'N', description: 'tokens of output' },
    'budget-usd': { kind: 'text', value: 'AMOUNT', description: 'US dollars; needs --prices' },
    'budget-requests': { kind: 'count', value: 'N', description: 'requests (default: 1000)' },
    'budget-seconds': { kind: 'seconds', value: 'S', description: 'time since the start' },
    'max-output-tokens': { kind: 'count', value: 'N', description: 'tokens of one answer' },
    prices: { kind: 'text', value: 'FILE', description: 'JSON: {model: {inputPerMillion, outputPerMillion, cachedInputPerMillion?}}, in US dollars' },
    record: { kind: 'text', value: 'FILE', description: 'new file for one JSON line for each request; it holds what was said' },
  },
  async run(input, { signal, onEvent }) {
    const { runGateway } = await import('@assay/engine/run/run-gateway');
    const { endpoint, model: models, dialect: dialects, port, prices, record } = input;
    const seconds = input['budget-seconds'];
    const tell = (text: string): void => onEvent({ type: 'note', item: '', text });
    const result = await runGateway({
      endpoint, models, dialects, signal,
      budgets: given({
        totalTokens: input['budget-tokens'], inputTokens: input['budget-input-tokens'], outputTokens: input['budget-output-tokens'], requests: input['budget-requests'],
        wallMs: seconds === undefined ? undefined : seconds * 1000,
      }),
      ...given({ port, prices, record, usd: input['budget-usd'], maxOutputTokens: input['max-output-tokens'] }),
      onOpen: ({ endpoints, token }) => {
        for (const [name, base] of Object.entries(endpoints)) tell(`${name}: ${base}`);
        tell(`token: ${token}`);
      },
      onStop: ({ kind, detail }) => tell(`stopped (${kind}): ${detail}`),
    });
    const { usage, stop } = result;
    return {
      exitCode: 0,
      endsByInterrupt: true,
      document: result,
      render: () => [
        `${usage.requests} requests, ${usage.answered} answered, ${usage.refused} refused, ${usage.retries} tried again`,
        `${usage.inputTokens} tokens in (${usage.cachedInputTokens} cached), ${usage.outputTokens} out${usage.usd === null ? '' : `, ${usage.usd.toFixed(4)} US dollars`}${usage.estimated > 0 ? ' (partly estimated)' : ''}`,
        ...(stop === null ? [] : [`stopped (${stop.kind}): ${stop.detail}`]),
        '',
      ].join('\n'),
    };
  },
});
