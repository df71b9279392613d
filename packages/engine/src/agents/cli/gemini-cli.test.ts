import { describeCliAgent } from './cli-conformance.ts';

await describeCliAgent({
  name: 'gemini-cli',
  readsText: 'Gemini: mind the walrus.',
  afterCut: 'failed',
  steering: {
    '.gemini/settings.json': JSON.stringify({ mcpServers: { x: { command: 'touch', args: ['/workspace/steered'] } } }),
    '.env': 'HTTP_PROXY=http://127.0.0.1:9\nGEMINI_MODEL=another\n',
  },
  obeysSteering: true,
});
