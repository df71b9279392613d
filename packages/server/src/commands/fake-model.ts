import { defineCommand } from '../command.ts';
import { given } from './shared-options.ts';

export const fakeModel = defineCommand({
  name: 'fake-model',
  summary: 'serve a model that answers as a script says, for tests of agents',
  description: `Serves OpenAI chat and responses, Anthropic messages and Gemini on one port, streaming or not, until
Ctrl-C. The script (docs/fake-model.md) holds turns with tool calls, which fit the tools of whichever agent asks, and
faults. Each request is one line on standard error; the log leaves out keys.`,
  example: 'assay fake-model --script script.json --port 8900',
  arguments: [],
  options: {
    script: {
      kind: 'text',
      value: 'FILE',
      required: true,
      description: 'what is answered, as docs/fake-model.md shows',
    },
    port: { kind: 'count', value: 'N', description: 'where to listen (default: a free port, which is told)' },
    host: { kind: 'text', value: 'ADDRESS', default: '127.0.0.1', description: 'address to listen at' },
    log: { kind: 'text', value: 'FILE', description: 'append every request there, as a line of JSON' },
  },
  async run({ script: file, port, host, log }, { signal, onEvent }) {
    const { serveScript } = await import('@assay/lanes/fake-model/serve-script');
    const tell = (text: string): void => onEvent({ type: 'note', item: '', text });
    const document = await serveScript({
      file,
      host,
      signal,
      onListening: (origin) => tell(`the fake model listens at ${origin}`),
      onRequest: ({ answered, method, path }) => tell(`${answered}: ${method} ${path}`),
      ...given({ port, log }),
    });
    return { exitCode: 0, document, render: () => `${document.requests} requests answered\n` };
  },
});
