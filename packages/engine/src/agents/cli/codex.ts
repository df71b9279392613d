import { stringify } from 'smol-toml';
import type { CliEnd, CliEvent, CliPlatform, CliRecipe } from './cli-agent.ts';
import { oneLine, recordIn, textIn } from './event-fields.ts';

const KEY = 'LANE_KEY';
const REJECTED = /rejected by user approval settings|blocked by read-only sandbox/;

/**
 * OpenAI's Codex: one native program with helpers beside it. npm starts it by a Node launcher; here it is started
 * directly.
 */
export const codex: CliRecipe = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  integrity: {
    '@openai/codex@0.169.0-linux-x64':
      'sha512-o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww==',
    '@openai/codex@0.169.0-linux-arm64':
      'sha512-NZ/DaQUpcQmxmqee7Z9uC1rzw3GhSbooawcaTe1LN5Yk+WlinUKGdTXJgClRT/9ogQEEM9TWxYzvxPfj5G/xFg==',
  },
  dialects: ['openai-responses'],
  needsNode: false,
  parts: (platform) => ({ own: false, optional: [{ name: nativePackage(platform), needed: true }] }),
  steering: ['.codex', '.agents'],
  launch: ({ model, endpoint, token, modules, platform, home }) => {
    const machine = platform.arch === 'arm64' ? 'aarch64' : 'x86_64';
    const vendor = `${modules}/${nativePackage(platform)}/vendor/${machine}-unknown-linux-musl`;
    return {
      argv: [
        `${vendor}/bin/codex`,
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        '-',
      ],
      env: { [KEY]: token },
      files: { [`${home}/.codex/config.toml`]: stringify(settings(model, endpoint)) },
      path: [`${vendor}/codex-path`],
    };
  },
  telling: ['turn.completed', 'turn.failed', 'error', 'item.completed'],
  judge,
};

const nativePackage = ({ arch }: CliPlatform): string => `@openai/codex-linux-${arch}`;

function settings(model: string, endpoint: string): Record<string, unknown> {
  return {
    model,
    model_provider: 'lane',
    web_search: 'disabled',
    approval_policy: 'never',
    sandbox_mode: 'danger-full-access',
    check_for_update_on_startup: false,
    analytics: { enabled: false },
    feedback: { enabled: false },
    agents: { enabled: false },
    shell_environment_policy: { exclude: [KEY] },
    features: {
      apps: false,
      plugins: false,
      remote_plugin: false,
      skill_search: false,
      tool_suggest: false,
      goals: false,
      image_generation: false,
      // Without this it waits forever for a lane that is gone.
      unbounded_connection_retries: false,
    },
    model_providers: {
      lane: {
        name: 'lane',
        base_url: endpoint,
        env_key: KEY,
        wire_api: 'responses',
        supports_websockets: false,
        request_max_retries: 2,
        stream_max_retries: 2,
        stream_idle_timeout_ms: 120_000,
      },
    },
  };
}

function judge(events: readonly CliEvent[], stderr: string): CliEnd | null {
  const last = events.findLast(({ type }) => type === 'turn.completed' || type === 'turn.failed');
  const type = last === undefined ? '' : textIn(last, 'type');
  if (last !== undefined && type === 'turn.failed')
    return { state: 'failed', detail: oneLine(textIn(recordIn(last['error']), 'message') || 'the turn failed') };
  const error = events.findLast((event) => event['type'] === 'error');
  if (type !== 'turn.completed')
    return error === undefined ? null : { state: 'failed', detail: oneLine(textIn(error, 'message')) };
  const items = events.filter((event) => event['type'] === 'item.completed').map((event) => recordIn(event['item']));
  const worked = items.filter((item) => ['command_execution', 'file_change'].includes(textIn(item, 'type')));
  // No event reports a refused change.
  const isDenied = REJECTED.test(stderr) || worked.some((item) => textIn(item, 'status') === 'declined');
  if (isDenied && !worked.some((item) => textIn(item, 'status') === 'completed'))
    return { state: 'could-not-work', detail: 'its commands and changes were denied' };
  const said = items.findLast((item) => textIn(item, 'type') === 'agent_message');
  return { state: 'ended', detail: oneLine(textIn(said ?? {}, 'text')) };
}
