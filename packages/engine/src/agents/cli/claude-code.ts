import type { CliEnd, CliEvent, CliRecipe } from './cli-agent.ts';
import { listIn, oneLine, recordIn, textIn } from './event-fields.ts';

const TOOLS = 'Bash,Read,Write,Edit,Glob,Grep';

/**
 * Anthropic's Claude Code: one native program. npm places it by an install script; here it is taken directly from its
 * own package.
 */
export const claudeCode: CliRecipe = {
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.197',
  integrity: {
    '@anthropic-ai/claude-code-linux-x64@2.1.197':
      'sha512-rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==',
    '@anthropic-ai/claude-code-linux-x64-musl@2.1.197':
      'sha512-/Ij3+inZf96Lb1BLnO0rWArRi1HqIMh6HeGrQoykrp7a8Yj0SA1EQIO42kpNeVxM9z3o3xUaiIf0FRMzLIp6oQ==',
    '@anthropic-ai/claude-code-linux-arm64@2.1.197':
      'sha512-sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==',
    '@anthropic-ai/claude-code-linux-arm64-musl@2.1.197':
      'sha512-r3taVK9rDaMahHkrCGV8wF1Sjphs7fqXy2ZEznyDGxUqeW6HxgkbG7dPplXnwwGiMTdYLrtQTQMN21ZTxcVHBA==',
  },
  dialects: ['anthropic-messages'],
  needsNode: false,
  parts: (platform) => ({ own: false, optional: [{ name: nativePackage(platform), needed: true }] }),
  steering: [
    '.mcp.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/agents',
    '.claude/commands',
    '.claude/skills',
    '.claude/output-styles',
    '.claude/rules',
  ],
  launch: ({ model, endpoint, token, modules, platform }) => ({
    argv: [
      `${modules}/${nativePackage(platform)}/claude`,
      '-p',
      '--model',
      model,
      '--output-format',
      'stream-json',
      '--verbose',
      '--dangerously-skip-permissions',
      '--tools',
      TOOLS,
      '--strict-mcp-config',
      '--setting-sources',
      'user,project',
      '--disable-slash-commands',
    ],
    env: {
      ANTHROPIC_BASE_URL: endpoint,
      ANTHROPIC_API_KEY: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      CLAUDE_CODE_MAX_RETRIES: '3',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    files: {},
  }),
  telling: ['result'],
  judge: (events) => judgeResult(events.at(-1)),
};

const nativePackage = ({ arch, libc }: { arch: string; libc: string }): string =>
  `@anthropic-ai/claude-code-linux-${arch}${libc === 'musl' ? '-musl' : ''}`;

/**
 * Judges the result event. The exit code is 0 and the subtype `success` even when an error ended the run or every tool
 * was denied.
 */
function judgeResult(result: CliEvent | undefined): CliEnd | null {
  if (result === undefined) return null;
  const denied = listIn(result, 'permission_denials').map((denial) => textIn(recordIn(denial), 'tool_name'));
  const subtype = textIn(result, 'subtype');
  const text = oneLine(textIn(result, 'result') || listIn(result, 'errors').map(String).join('; ') || subtype);
  if (subtype.startsWith('error_max')) return { state: 'limits', detail: text };
  if (result['is_error'] !== false || subtype !== 'success') return { state: 'failed', detail: text };
  if (denied.length > 0) return { state: 'could-not-work', detail: oneLine(`tools were denied: ${denied.join(', ')}`) };
  return { state: 'ended', detail: text };
}
