import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakeModelEndpoints } from '@assay/engine/models/fake-model/serve-fake-model';

/** One coding agent as people install it. */
export interface ClientRecipe {
  name: string;
  package: string;
  version: string;
  model: string;
  /** Writes its settings below HOME; answers with its command line and what it adds to the environment. */
  prepare(home: string, endpoints: FakeModelEndpoints, model: string): Promise<{ argv: string[]; env: Record<string, string> }>;
}

const KEY = 'fake-key-of-the-driver';

const claude: ClientRecipe = {
  name: 'claude',
  package: '@anthropic-ai/claude-code',
  version: '2.1.197',
  model: 'claude-opus-4-8',
  prepare: async (_, { anthropic }, model) => ({
    argv: ['claude', '-p', '--model', model, '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions', '--tools', 'Bash,Read,Write,Edit,Glob,Grep', '--strict-mcp-config', '--setting-sources', 'user', '--disable-slash-commands'],
    env: {
      ANTHROPIC_BASE_URL: anthropic,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
      CLAUDE_CODE_MAX_RETRIES: '3',
      // Else it refuses to run as root.
      IS_SANDBOX: '1',
    },
  }),
};

const codex: ClientRecipe = {
  name: 'codex',
  package: '@openai/codex',
  version: '0.169.0',
  model: 'gpt-5.5',
  prepare: async (home, { openai }, model) => {
    await mkdir(join(home, '.codex'), { recursive: true });
    await writeFile(join(home, '.codex/config.toml'), codexConfig(openai, model));
    return { argv: ['codex', 'exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-'], env: { LANE_KEY: KEY } };
  },
};

function codexConfig(endpoint: string, model: string): string {
  return `model = "${model}"
model_provider = "lane"
web_search = "disabled"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics = { enabled = false }
feedback = { enabled = false }
agents = { enabled = false }
shell_environment_policy = { exclude = ["LANE_KEY"] }
[features]
apps = false
plugins = false
remote_plugin = false
skill_search = false
tool_suggest = false
goals = false
image_generation = false
unbounded_connection_retries = false
[model_providers.lane]
name = "lane"
base_url = "${endpoint}"
env_key = "LANE_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 2
stream_max_retries = 2
stream_idle_timeout_ms = 120000
`;
}

const gemini: ClientRecipe = {
  name: 'gemini',
  package: '@google/gemini-cli',
  version: '0.61.0',
  model: 'gemini-3.8-flash',
  prepare: async (home, endpoints, model) => {
    await mkdir(join(home, '.gemini'), { recursive: true });
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, checkpointing: { enabled: false }, maxAttempts: 3 },
      model: { name: model },
      skills: { enabled: false },
      tools: { core: ['read_file', 'write_file', 'replace', 'run_shell_command', 'list_directory', 'glob', 'grep_search'] },
    };
    await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    return {
      argv: ['gemini', '--yolo', '--skip-trust', '-m', model, '-o', 'stream-json'],
      env: { GOOGLE_GEMINI_BASE_URL: endpoints.gemini, GEMINI_API_KEY: KEY, GEMINI_CLI_NO_RELAUNCH: 'true', HTTPS_PROXY: '', HTTP_PROXY: '', https_proxy: '', http_proxy: '' },
    };
  },
};

const opencode: ClientRecipe = {
  name: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  model: 'scripted',
  prepare: async (home, { openai }, model) => {
    const file = join(home, 'opencode.json');
    const provider = { npm: '@ai-sdk/openai-compatible', name: 'lane', options: { baseURL: openai, apiKey: '{env:LANE_KEY}' }, models: { [model]: { name: model, limit: { context: 200_000, output: 32_000 } } } };
    const config = {
      model: `lane/${model}`,
      small_model: `lane/${model}`,
      enabled_providers: ['lane'],
      autoupdate: false,
      share: 'disabled',
      snapshot: false,
      lsp: false,
      formatter: false,
      agent: { title: { disable: true } },
      compaction: { auto: false, prune: false },
      tools: { webfetch: false, websearch: false, task: false, skill: false },
      provider: { lane: provider },
    };
    await writeFile(file, JSON.stringify(config));
    const off = ['PROJECT_CONFIG', 'MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS', 'AUTOCOMPACT', 'FFF'].map((name) => [`OPENCODE_DISABLE_${name}`, '1']);
    return { argv: ['opencode', 'run', '--auto', '--format', 'json', '--title', 't'], env: { LANE_KEY: KEY, OPENCODE_CONFIG: file, ...Object.fromEntries(off) } };
  },
};

export const CLIENT_RECIPES: readonly ClientRecipe[] = [claude, codex, gemini, opencode];
