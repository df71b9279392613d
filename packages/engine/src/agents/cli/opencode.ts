import type { ModelDialect } from '@assay/lanes/model-lane/contract';
import type { CliEnd, CliEvent, CliPlatform, CliRecipe } from './cli-agent.ts';
import { oneLine, recordIn, textIn } from './event-fields.ts';

const KEY = 'LANE_KEY';
const SWITCHES = [
  'PROJECT_CONFIG',
  'MODELS_FETCH',
  'AUTOUPDATE',
  'LSP_DOWNLOAD',
  'DEFAULT_PLUGINS',
  'AUTOCOMPACT',
  'FFF',
];

/** The client library for each dialect; the program contains all of them. */
const LIBRARIES: Readonly<Record<ModelDialect, { library: string; path: string }>> = {
  'openai-chat': { library: '@ai-sdk/openai-compatible', path: '' },
  'openai-responses': { library: '@ai-sdk/openai', path: '' },
  'anthropic-messages': { library: '@ai-sdk/anthropic', path: '/v1' },
  gemini: { library: '@ai-sdk/google', path: '/v1beta' },
};

/** opencode: one native program. npm places it by an install script; here it is taken directly from its own package. */
export const opencode: CliRecipe = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  integrity: {
    'opencode-linux-x64@1.18.33':
      'sha512-q/t/3p2CTxOT9y2kvjesb/LZab2+1eqlhhWA02Be6mjTtmYtNBcBsrI5yDo4Fw7ZSPBW2oyMIGMNRqiKQjiAWw==',
    'opencode-linux-x64-baseline@1.18.33':
      'sha512-1KQGBiiDDeL/VHHbHkOvvFo8Jr97WT5+C1tear+p7IcDTnXgVHXqIjU4O4jM4mHQzykTP2i884FCnW5LDa+zCA==',
  },
  dialects: ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'],
  needsNode: false,
  parts: (platform) => ({ own: false, optional: [{ name: nativePackage(platform), needed: true }] }),
  steering: ['opencode.json', 'opencode.jsonc', '.opencode', '.agents', '.claude/skills'],
  launch: ({ model, dialect, endpoint, token, modules, platform, home }) => {
    const file = `${home}/.config/assay-opencode.json`;
    return {
      argv: [
        `${modules}/${nativePackage(platform)}/bin/opencode`,
        'run',
        '--auto',
        '--format',
        'json',
        '--title',
        'task',
      ],
      env: {
        [KEY]: token,
        OPENCODE_CONFIG: file,
        ...Object.fromEntries(SWITCHES.map((name) => [`OPENCODE_DISABLE_${name}`, '1'])),
      },
      files: { [file]: JSON.stringify(settings(model, dialect, endpoint)) },
    };
  },
  telling: ['error', 'step_finish', 'tool_use'],
  judge,
};

function nativePackage({ arch, libc, avx2 }: CliPlatform): string {
  return `opencode-linux-${arch}${arch === 'x64' && !avx2 ? '-baseline' : ''}${libc === 'musl' ? '-musl' : ''}`;
}

function settings(model: string, dialect: ModelDialect, endpoint: string): Record<string, unknown> {
  const { library, path } = LIBRARIES[dialect];
  return {
    model: `lane/${model}`,
    small_model: `lane/${model}`,
    enabled_providers: ['lane'],
    // The switch that turns off steering by a repository turns off this text too.
    instructions: ['/workspace/AGENTS.md'],
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    lsp: false,
    formatter: false,
    agent: { title: { disable: true } },
    // A lane that calls a request too large would otherwise be asked a thousand times to make it smaller.
    compaction: { auto: false, prune: false },
    tools: { webfetch: false, websearch: false, task: false, skill: false },
    provider: {
      lane: {
        npm: library,
        name: 'lane',
        options: { baseURL: `${endpoint}${path}`, apiKey: `{env:${KEY}}` },
        models: { [model]: { name: model, limit: { context: 200_000, output: 32_000 } } },
      },
    },
  };
}

/** Judges by the last step, because there is no final event. */
function judge(events: readonly CliEvent[]): CliEnd | null {
  const last = events.findLast(({ type }) => type === 'error' || type === 'step_finish');
  if (last === undefined) return null;
  if (textIn(last, 'type') === 'error') {
    const error = recordIn(last['error']);
    return {
      state: 'failed',
      detail: oneLine(
        textIn(recordIn(error['data']), 'message') || textIn(error, 'message') || textIn(error, 'name') || 'an error',
      ),
    };
  }
  const tools = events
    .filter(({ type }) => type === 'tool_use')
    .map((event) => recordIn(recordIn(event['part'])['state']));
  // The first denied tool ends it.
  const isDenied = tools.some(
    (tool) => textIn(tool, 'status') === 'error' && textIn(tool, 'error').startsWith('The user rejected permission'),
  );
  if (isDenied) return { state: 'could-not-work', detail: 'a tool was denied' };
  const reason = textIn(recordIn(last['part']), 'reason');
  if (reason === 'length') return { state: 'limits', detail: 'the answer was cut at its limit of tokens' };
  if (reason !== 'stop') return { state: 'failed', detail: oneLine(`its last step ended with ${reason || 'nothing'}`) };
  return { state: 'ended', detail: 'its last step ended with stop' };
}
