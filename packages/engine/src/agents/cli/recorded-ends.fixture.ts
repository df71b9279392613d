/**
 * Lines that the CLIs printed, at the versions of their recipes, and their meaning. Lines that say nothing are left
 * out.
 */
export interface RecordedEnd {
  cli: string;
  /** The situation in which it was recorded. */
  when: string;
  lines: readonly string[];
  exitCode: number;
  stderr?: string;
  state: string;
  detail: RegExp;
}

export const RECORDED_ENDS: readonly RecordedEnd[] = [
  {
    cli: 'claude-code',
    when: 'all went well',
    exitCode: 0,
    state: 'ended',
    detail: /^All is done\.$/,
    lines: [
      '{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"result":"All is done.","stop_reason":"end_turn","permission_denials":[],"terminal_reason":"completed"}',
    ],
  },
  {
    cli: 'claude-code',
    when: 'the service refused a request',
    exitCode: 1,
    state: 'failed',
    detail: /the field is wrong/,
    lines: [
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":400,"result":"API Error: 400 the field is wrong","stop_reason":"stop_sequence","permission_denials":[],"terminal_reason":"completed"}',
    ],
  },
  {
    cli: 'claude-code',
    when: 'the budget was spent',
    exitCode: 1,
    state: 'stopped',
    detail: /^the budget of 10 output tokens is spent/,
    lines: [
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":402,"result":"API Error: 402 lane: the budget of 10 output tokens is spent (13 used)","stop_reason":"stop_sequence","permission_denials":[],"terminal_reason":"completed"}',
    ],
  },
  {
    cli: 'claude-code',
    when: 'the service failed for good',
    exitCode: 1,
    state: 'stopped',
    detail: /^the service answered 500$/,
    lines: [
      '{"type":"result","subtype":"success","is_error":true,"api_error_status":400,"result":"API Error: 400 lane: the service answered 500","stop_reason":"stop_sequence","permission_denials":[],"terminal_reason":"completed"}',
    ],
  },
  {
    cli: 'claude-code',
    when: 'its tools were denied',
    exitCode: 0,
    state: 'could-not-work',
    detail: /Write, Bash/,
    lines: [
      '{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"result":"All is done.","stop_reason":"end_turn","permission_denials":[{"tool_name":"Write"},{"tool_name":"Bash"}],"terminal_reason":"completed"}',
    ],
  },
  {
    cli: 'claude-code',
    when: 'its own limit on turns',
    exitCode: 1,
    state: 'limits',
    detail: /maximum number of turns/,
    lines: [
      '{"type":"result","subtype":"error_max_turns","is_error":true,"stop_reason":"tool_use","permission_denials":[],"terminal_reason":"max_turns","errors":["Reached maximum number of turns (1)"]}',
    ],
  },
  {
    cli: 'claude-code',
    when: 'an option that it does not know',
    exitCode: 1,
    state: 'could-not-work',
    detail: /unknown option/,
    stderr: "error: unknown option '--no-such-option'\n",
    lines: [],
  },
  {
    cli: 'codex',
    when: 'all went well',
    exitCode: 0,
    state: 'ended',
    detail: /^All is done\.$/,
    lines: [
      '{"type":"item.completed","item":{"type":"agent_message","text":"And run a command."}}',
      '{"type":"item.completed","item":{"type":"command_execution","command":"/bin/sh -lc \'id -u > facts.txt; grep CapEff /proc/self/status >> facts.txt; ls -A >> facts.txt; cat AGENTS.md CLAUDE.md GEMINI.md >> facts.txt\'","aggregated_output":"","exit_code":0,"status":"completed"}}',
      '{"type":"item.completed","item":{"type":"agent_message","text":"All is done."}}',
      '{"type":"turn.completed"}',
    ],
  },
  {
    cli: 'codex',
    when: 'the service refused a request',
    exitCode: 1,
    state: 'failed',
    detail: /the field is wrong/,
    lines: [
      '{"type":"item.completed","item":{"type":"agent_message","text":"I read the file first."}}',
      '{"type":"item.completed","item":{"type":"command_execution","command":"/bin/sh -lc \\"cat \'greeting.txt\'\\"","aggregated_output":"hello\\ngood morning\\nbye\\n","exit_code":0,"status":"completed"}}',
      '{"type":"error","message":"{\\"error\\":{\\"message\\":\\"the field is wrong\\",\\"type\\":\\"invalid_request_error\\",\\"param\\":null,\\"code\\":null}}"}',
      '{"type":"turn.failed","error":{"message":"{\\"error\\":{\\"message\\":\\"the field is wrong\\",\\"type\\":\\"invalid_request_error\\",\\"param\\":null,\\"code\\":null}}"}}',
    ],
  },
  {
    cli: 'codex',
    when: 'the budget was spent',
    exitCode: 1,
    state: 'stopped',
    detail: /^the budget of 10 output tokens is spent \(13 used\)$/,
    lines: [
      '{"type":"item.completed","item":{"type":"agent_message","text":"I read the file first."}}',
      '{"type":"item.completed","item":{"type":"command_execution","command":"/bin/sh -lc \\"cat \'greeting.txt\'\\"","aggregated_output":"hello\\ngood morning\\nbye\\n","exit_code":0,"status":"completed"}}',
      '{"type":"error","message":"{\\"error\\":{\\"message\\":\\"lane: the budget of 10 output tokens is spent (13 used)\\",\\"type\\":\\"invalid_request_error\\",\\"param\\":null,\\"code\\":null}}"}',
      '{"type":"turn.failed","error":{"message":"{\\"error\\":{\\"message\\":\\"lane: the budget of 10 output tokens is spent (13 used)\\",\\"type\\":\\"invalid_request_error\\",\\"param\\":null,\\"code\\":null}}"}}',
    ],
  },
  {
    cli: 'codex',
    when: 'every stream was cut',
    exitCode: 1,
    state: 'failed',
    detail: /stream disconnected/,
    lines: [
      '{"type":"error","message":"Reconnecting... 1/2 (stream disconnected before completion: Transport error: network error: error decoding response body)"}',
      '{"type":"error","message":"Reconnecting... 2/2 (stream disconnected before completion: Transport error: network error: error decoding response body)"}',
      '{"type":"error","message":"stream disconnected before completion: Transport error: network error: error decoding response body"}',
      '{"type":"turn.failed","error":{"message":"stream disconnected before completion: Transport error: network error: error decoding response body"}}',
    ],
  },
  {
    cli: 'codex',
    when: 'its tools were denied',
    exitCode: 0,
    state: 'could-not-work',
    detail: /denied/,
    stderr:
      '2026-11-21T16:06:14.145119Z ERROR codex_core::tools::router: error=patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings\n',
    lines: [
      '{"type":"item.completed","item":{"type":"command_execution","command":"/bin/sh -lc \'touch facts.txt\'","aggregated_output":"bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap> or <file:///usr/share/doc/bubblewrap/README.Debian.gz>.\\n","exit_code":1,"status":"failed"}}',
      '{"type":"item.completed","item":{"type":"agent_message","text":"All is done."}}',
      '{"type":"turn.completed"}',
    ],
  },
  {
    cli: 'codex',
    when: 'settings that are no TOML',
    exitCode: 1,
    state: 'could-not-work',
    detail: /Error loading config\.toml/,
    stderr: 'Error loading config.toml:\n/home/user/.codex/config.toml:40:4: key with no value, expected `=`\n',
    lines: [],
  },
  {
    cli: 'gemini-cli',
    when: 'all went well',
    exitCode: 0,
    state: 'ended',
    detail: /^success$/,
    lines: [
      '{"type":"tool_result","status":"success"}',
      '{"type":"tool_result","status":"success"}',
      '{"type":"tool_result","status":"success"}',
      '{"type":"result","status":"success"}',
    ],
  },
  {
    cli: 'gemini-cli',
    when: 'the service refused a request',
    exitCode: 144,
    state: 'failed',
    detail: /the field is wrong/,
    lines: [
      '{"type":"tool_result","status":"success"}',
      '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\\"error\\":{\\"code\\":400,\\"message\\":\\"the field is wrong\\",\\"status\\":\\"INVALID_ARGUMENT\\"}}]"}}',
    ],
  },
  {
    cli: 'gemini-cli',
    when: 'the budget was spent',
    exitCode: 146,
    state: 'stopped',
    detail: /^the budget of 10 output tokens is spent \(13 used\)$/,
    lines: [
      '{"type":"tool_result","status":"success"}',
      '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\\"error\\":{\\"code\\":402,\\"message\\":\\"lane: the budget of 10 output tokens is spent (13 used)\\",\\"status\\":\\"FAILED_PRECONDITION\\"}}]"}}',
    ],
  },
  {
    cli: 'gemini-cli',
    when: 'a stream was cut',
    exitCode: 1,
    state: 'failed',
    detail: /terminated/,
    lines: [
      '{"type":"tool_result","status":"success"}',
      '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: terminated]"}}',
    ],
  },
  {
    cli: 'gemini-cli',
    when: 'its own limit on turns',
    exitCode: 53,
    state: 'limits',
    detail: /max session turns/,
    lines: [
      '{"type":"tool_result","status":"success"}',
      '{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json."}}',
    ],
  },
  {
    cli: 'gemini-cli',
    when: 'no key',
    exitCode: 41,
    state: 'could-not-work',
    detail: /authentication/,
    stderr: 'Invalid auth method selected.\n',
    lines: [],
  },
  {
    cli: 'opencode',
    when: 'all went well',
    exitCode: 0,
    state: 'ended',
    detail: /stop/,
    lines: [
      '{"type":"step_finish","part":{"reason":"tool-calls","type":"step-finish"}}',
      '{"type":"tool_use","part":{"type":"tool","tool":"bash","state":{"status":"completed"}}}',
      '{"type":"step_finish","part":{"reason":"tool-calls","type":"step-finish"}}',
      '{"type":"step_finish","part":{"reason":"stop","type":"step-finish"}}',
    ],
  },
  {
    cli: 'opencode',
    when: 'the service refused a request',
    exitCode: 1,
    state: 'failed',
    detail: /^the field is wrong$/,
    lines: [
      '{"type":"tool_use","part":{"type":"tool","tool":"read","state":{"status":"completed"}}}',
      '{"type":"step_finish","part":{"reason":"tool-calls","type":"step-finish"}}',
      '{"type":"error","error":{"name":"APIError","data":{"message":"the field is wrong","statusCode":400,"isRetryable":false}}}',
    ],
  },
  {
    cli: 'opencode',
    when: 'the budget was spent',
    exitCode: 1,
    state: 'stopped',
    detail: /^the budget of 10 output tokens is spent/,
    lines: [
      '{"type":"tool_use","part":{"type":"tool","tool":"read","state":{"status":"completed"}}}',
      '{"type":"step_finish","part":{"reason":"tool-calls","type":"step-finish"}}',
      '{"type":"error","error":{"name":"APIError","data":{"message":"lane: the budget of 10 output tokens is spent (13 used)","statusCode":402,"isRetryable":false}}}',
    ],
  },
  {
    cli: 'opencode',
    when: 'the service failed for good',
    exitCode: 1,
    state: 'stopped',
    detail: /^the service answered 500$/,
    lines: [
      '{"type":"tool_use","part":{"type":"tool","tool":"read","state":{"status":"completed"}}}',
      '{"type":"step_finish","part":{"reason":"tool-calls","type":"step-finish"}}',
      '{"type":"error","error":{"name":"APIError","data":{"message":"lane: the service answered 500","statusCode":400,"isRetryable":false}}}',
    ],
  },
  {
    cli: 'opencode',
    when: 'its tools were denied',
    exitCode: 0,
    state: 'could-not-work',
    detail: /denied/,
    lines: [
      '{"type":"tool_use","part":{"type":"tool","tool":"write","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}}',
      '{"type":"step_finish","part":{"reason":"tool-calls","type":"step-finish"}}',
    ],
  },
  {
    cli: 'opencode',
    when: 'settings that are no JSON',
    exitCode: 1,
    state: 'could-not-work',
    detail: /not valid JSON/,
    stderr: 'Error: Config file at /home/user/.config/assay-opencode.json is not valid JSON(C): \n--- End ---\n',
    lines: [],
  },
];
