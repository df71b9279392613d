import { defineCommand } from '../command.ts';
import { budgetOptions, given } from './shared-options.ts';

export const gateway = defineCommand({
  name: 'gateway',
  summary: 'run the model lane alone, for an agent in a harness of your own',
  description: `Listens on 127.0.0.1 until Ctrl-C and passes requests on to one model service: the key stays here, what
an agent gets is a token. Only what docs/model-lane.md lists passes; tools that the service would run are taken out;
budgets end the agent in a way that its client understands. The key is in ASSAY_MODEL_KEY, or in the variable of the
provider.`,
  example: 'assay gateway --endpoint http://127.0.0.1:8000/v1 --model small --max-tokens 200000 --record record.jsonl',
  arguments: [],
  options: {
    endpoint: {
      kind: 'url',
      value: 'URL',
      required: true,
      description: 'base address of the service, without credentials',
    },
    model: {
      kind: 'list',
      value: 'NAME',
      required: true,
      description: 'exact name of a model that may be asked; may be repeated',
    },
    dialect: {
      kind: 'list',
      value: 'NAME',
      description:
        'what the service speaks: openai-chat, openai-responses, anthropic-messages or gemini; may be repeated ' +
        '(default: by the address)',
    },
    port: { kind: 'count', value: 'N', description: 'of 127.0.0.1 (default: a free one)' },
    ...budgetOptions,
    'max-input-tokens': { kind: 'count', value: 'N', description: 'tokens of input' },
    'max-output-tokens': { kind: 'count', value: 'N', description: 'tokens of output' },
    'max-seconds': { kind: 'seconds', value: 'S', description: 'time since the start' },
    'max-answer-tokens': { kind: 'count', value: 'N', description: 'tokens of one answer' },
    record: {
      kind: 'text',
      value: 'FILE',
      description: 'new file for one JSON line for each request; it holds what was said',
    },
  },
  async run(input, { signal, onEvent }) {
    const { runGateway } = await import('@assay/engine/commands/gateway');
    const { endpoint, model: models, dialect: dialects, port, prices, record } = input;
    const seconds = input['max-seconds'];
    const tell = (text: string): void => onEvent({ type: 'note', item: '', text });
    const result = await runGateway({
      endpoint,
      models,
      dialects,
      signal,
      budgets: given({
        totalTokens: input['max-tokens'],
        inputTokens: input['max-input-tokens'],
        outputTokens: input['max-output-tokens'],
        requests: input['max-requests'],
        wallMs: seconds === undefined ? undefined : seconds * 1000,
      }),
      ...given({ port, prices, record, usd: input['max-usd'], maxOutputTokens: input['max-answer-tokens'] }),
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
      render: () =>
        [
          `${usage.requests} requests, ${usage.answered} answered, ${usage.refused} refused, ` +
            `${usage.retries} tried again`,
          `${usage.inputTokens} tokens in (${usage.cachedInputTokens} cached), ${usage.outputTokens} out` +
            (usage.usd === null ? '' : `, ${usage.usd.toFixed(4)} US dollars`) +
            (usage.estimated > 0 ? ' (partly estimated)' : ''),
          ...(stop === null ? [] : [`stopped (${stop.kind}): ${stop.detail}`]),
          '',
        ].join('\n'),
    };
  },
});
