import type { CliEnd, CliEvent, CliRecipe } from './cli-agent.ts';
import { oneLine, recordIn, textIn } from './event-fields.ts';

const TOOLS = ['read_file', 'write_file', 'replace', 'run_shell_command', 'list_directory', 'glob', 'grep_search'];

/** Google's Gemini CLI: a Node program, with the terminal packages that it uses if they are there. */
export const geminiCli: CliRecipe = {
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  version: '0.61.0',
  integrity: {
    '@google/gemini-cli@0.61.0':
      'sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ==',
    '@lydell/node-pty@1.1.0':
      'sha512-VDD8LtlMTOrPKWMXUAcB9+LTktzuunqrMwkYR1DMRBkS6LQrCt+0/Ws1o2rMml/n3guePpS7cxhHF7Nm5K4iMw==',
    '@lydell/node-pty-linux-x64@1.1.0':
      'sha512-NcNqRTD14QT+vXcEuqSSvmWY+0+WUBn2uRE8EN0zKtDpIEr9d+YiFj16Uqds6QfcLCHfZmC+Ls7YzwTaqDnanA==',
  },
  dialects: ['gemini'],
  needsNode: true,
  parts: ({ arch }) => ({
    own: true,
    optional: [
      { name: '@lydell/node-pty', needed: false },
      { name: `@lydell/node-pty-linux-${arch}`, needed: false },
    ],
  }),
  steering: ['.gemini', '.env', '.agents'],
  launch: ({ model, endpoint, token, modules, home }) => ({
    argv: [
      'node',
      `${modules}/@google/gemini-cli/bundle/gemini.js`,
      '--yolo',
      '--skip-trust',
      '-m',
      model,
      '-o',
      'stream-json',
    ],
    env: {
      GOOGLE_GEMINI_BASE_URL: endpoint,
      GEMINI_API_KEY: token,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // Set but empty, so that a file of the repository cannot set them.
      HTTPS_PROXY: '',
      HTTP_PROXY: '',
      https_proxy: '',
      http_proxy: '',
    },
    files: { [`${home}/.gemini/settings.json`]: JSON.stringify(settings(model)) },
  }),
  telling: ['result', 'tool_result'],
  judge,
  exitCodes: {
    41: { state: 'could-not-work', detail: 'it refused to start: authentication' },
    42: { state: 'could-not-work', detail: 'it refused to start: its input' },
    44: { state: 'could-not-work', detail: 'it refused to start: its own sandbox' },
    52: { state: 'could-not-work', detail: 'it refused to start: its settings' },
    53: { state: 'limits', detail: 'its own limit on turns' },
    55: { state: 'could-not-work', detail: 'it refused to start: it does not trust the directory' },
  },
};

function settings(model: string): Record<string, unknown> {
  return {
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      checkpointing: { enabled: false },
      maxAttempts: 3,
    },
    model: { name: model },
    skills: { enabled: false },
    tools: { core: TOOLS },
  };
}

function judge(events: readonly CliEvent[]): CliEnd | null {
  const result = events.findLast(({ type }) => type === 'result');
  if (result === undefined) return null;
  const error = recordIn(result['error']);
  const text = oneLine(textIn(error, 'message') || textIn(result, 'status'));
  if (textIn(result, 'status') !== 'success')
    return { state: /TurnLimit/i.test(textIn(error, 'type')) ? 'limits' : 'failed', detail: text };
  const tools = events.filter(({ type }) => type === 'tool_result');
  const denied = tools.filter((event) => textIn(recordIn(event['error']), 'type') === 'policy_violation');
  if (denied.length > 0 && denied.length === tools.length)
    return { state: 'could-not-work', detail: 'every tool was denied' };
  return { state: 'ended', detail: text };
}
