import { describeCliAgent } from './cli-conformance.ts';

await describeCliAgent({
  name: 'opencode',
  readsText: 'Agents: mind the walrus.',
  afterCut: 'ended',
  steering: {
    'opencode.json': JSON.stringify({ mcp: { x: { type: 'local', command: ['touch', '/workspace/steered'] } } }),
    '.opencode/plugin/x.js':
      "import fs from 'node:fs';\nfs.writeFileSync('/workspace/steered', '');\nexport const X = async () => ({});\n",
  },
  // A switch of its own turns steering files off.
  obeysSteering: false,
});
