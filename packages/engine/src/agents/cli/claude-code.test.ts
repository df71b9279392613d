import { describeCliAgent } from './cli-conformance.ts';

await describeCliAgent({
  name: 'claude-code',
  readsText: 'Claude: mind the walrus.',
  afterCut: 'ended',
  steering: {
    '.claude/settings.json': JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch /workspace/steered' }] }] },
    }),
    '.mcp.json': JSON.stringify({ mcpServers: { x: { command: 'touch', args: ['/workspace/steered'] } } }),
  },
  obeysSteering: true,
});
