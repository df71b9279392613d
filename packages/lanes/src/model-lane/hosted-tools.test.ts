import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelDialect } from './contract.ts';
import { CHAT, GEMINI, MESSAGES, RESPONSES, filter, refuses } from './filter-request.fixture.ts';
import { isRecord } from './rules.ts';

describe('hosted tools', () => {
  const client = {
    chat: { type: 'function', function: { name: 'f' } },
    responses: { type: 'function', name: 'f' },
    messages: { name: 'f', input_schema: {} },
    gemini: { functionDeclarations: [{ name: 'f' }] },
  };
  const hosted: [ModelDialect, object, object, object[]][] = [
    [
      'openai-chat',
      CHAT,
      client.chat,
      [{ type: 'web_search' }, { type: 'openrouter:web_search' }, { type: 'mcp', server_url: 'http://x' }],
    ],
    [
      'openai-responses',
      RESPONSES,
      client.responses,
      [
        { type: 'web_search', external_web_access: true, search_content_types: ['text', 'image'] },
        { type: 'web_search_preview' },
        { type: 'file_search', vector_store_ids: ['v'] },
        { type: 'mcp', server_label: 'x', server_url: 'http://x' },
        { type: 'code_interpreter', container: { type: 'auto' } },
        { type: 'image_generation' },
        { type: 'computer_use_preview' },
        { type: 'tool_search' },
        { type: 'tool_search', execution: 'server' },
        { type: 'local_shell' },
        { type: 'shell' },
      ],
    ],
    [
      'anthropic-messages',
      MESSAGES,
      client.messages,
      [
        'web_search_20250305',
        'web_search_20260209',
        'web_fetch_20250910',
        'code_execution_20250825',
        'advisor_20260301',
        'memory_20250818',
        'tool_search_tool_regex_20251119',
        'computer_20251124',
        'mcp_toolset',
        'bash_20250124',
      ].map((type) => ({ type, name: 'x' })),
    ],
    [
      'gemini',
      GEMINI,
      client.gemini,
      [
        { googleSearch: {} },
        { googleSearchRetrieval: {} },
        { urlContext: {} },
        { codeExecution: {} },
        { fileSearch: {} },
        { computerUse: {} },
        { googleMaps: {} },
        { google_search: {} },
        {},
      ],
    ],
  ];
  for (const [name, body, own, tools] of hosted) {
    test(`${name}: taken out beside the agent's own, refused alone`, () => {
      const { body: sent, stripped } = filter(name, { ...body, tools: [tools[0], own, ...tools.slice(1)] });
      assert.deepEqual(sent['tools'], [own]);
      assert.equal(stripped.length, tools.length);
      assert.match(stripped[0] ?? '', /^tools\[0\]: hosted tool /);
      for (const tool of tools) refuses(name, { ...body, tools: [tool] }, /^lane: hosted tool .*not allowed$/);
    });
  }

  test('in the input, in namespaces within namespaces, and in what a search found', () => {
    const search = { type: 'web_search' };
    const own = { type: 'function', name: 'f' };
    const nested = {
      type: 'namespace',
      name: 'a',
      tools: [
        search,
        { type: 'namespace', name: 'b', tools: [search, own] },
        { type: 'namespace', name: 'c', tools: [search] },
      ],
    };
    const { body, stripped } = filter('openai-responses', {
      ...RESPONSES,
      input: [
        { type: 'additional_tools', role: 'developer', tools: [search, nested] },
        { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [search, own] },
      ],
    });
    assert.deepEqual(body['input'], [
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'namespace', name: 'b', tools: [own] }] }],
      },
      { type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [own] },
    ]);
    assert.deepEqual(
      stripped.map((note) => note.replace(/: hosted tool web_search$/, '')),
      [
        'input[0].tools[0]',
        'input[0].tools[1].tools[0]',
        'input[0].tools[1].tools[1].tools[0]',
        'input[0].tools[1].tools[2].tools[0]',
        'input[1].tools[0]',
      ],
    );
    assert.ok(!JSON.stringify(body).includes('web_search'));
    refuses(
      'openai-responses',
      {
        ...RESPONSES,
        tools: [],
        input: [
          { type: 'additional_tools', role: 'developer', tools: [{ type: 'namespace', name: 'a', tools: [search] }] },
        ],
      },
      /hosted tool web_search/,
    );
  });

  test('a tool that mixes declarations with what the service runs keeps the declarations', () => {
    const { body, stripped } = filter('gemini', {
      ...GEMINI,
      tools: [{ googleSearch: {}, functionDeclarations: [{ name: 'f' }] }],
    });
    assert.deepEqual(body['tools'], [{ functionDeclarations: [{ name: 'f' }] }]);
    assert.deepEqual(stripped, ['tools[0]: hosted tool googleSearch']);
  });

  test('a choice of a hosted tool is refused', () => {
    refuses(
      'anthropic-messages',
      {
        ...MESSAGES,
        tools: [
          { name: 'f', input_schema: {} },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
        tool_choice: { type: 'tool', name: 'web_search' },
      },
      /tool_choice/,
    );
    refuses(
      'openai-responses',
      { ...RESPONSES, tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'web_search' } },
      /tool_choice/,
    );
    refuses(
      'openai-responses',
      {
        ...RESPONSES,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'x' }] },
      },
      /tool_choice/,
    );
    refuses('openai-chat', { ...CHAT, tool_choice: { type: 'mcp' } }, /tool_choice/);
  });
});

describe('what is forced', () => {
  test('nothing is stored, nothing says who asks, and only reasoning is included', () => {
    for (const store of [true, null, undefined])
      assert.equal(filter('openai-responses', { ...RESPONSES, store }).body['store'], false);
    assert.ok(!('store' in filter('openai-chat', { ...CHAT, store: true }).body));
    const { body, stripped } = filter('openai-responses', {
      ...RESPONSES,
      include: ['web_search_call.results', 'reasoning.encrypted_content'],
      client_metadata: { session_id: 's' },
      metadata: {},
      user: 'u',
      service_tier: 'priority',
    });
    assert.deepEqual(body, { ...RESPONSES, include: ['reasoning.encrypted_content'] });
    assert.deepEqual(stripped, [
      'include[0]: web_search_call.results',
      'client_metadata',
      'metadata',
      'user',
      'service_tier',
    ]);
    assert.deepEqual(filter('anthropic-messages', { ...MESSAGES, metadata: { user_id: 'u' } }).body, MESSAGES);
  });

  test('a chat stream tells its usage', () => {
    assert.deepEqual(filter('openai-chat', { ...CHAT, stream: true }).body['stream_options'], { include_usage: true });
    assert.deepEqual(
      filter('openai-chat', { ...CHAT, stream: true, stream_options: { include_usage: false } }).body['stream_options'],
      { include_usage: true },
    );
    assert.ok(!('stream_options' in filter('openai-chat', CHAT).body));
  });

  test('the limit of output is put in or lowered, and never raised', () => {
    assert.equal(filter('openai-responses', RESPONSES, 500).body['max_output_tokens'], 500);
    assert.equal(filter('openai-responses', RESPONSES, 3).body['max_output_tokens'], 16);
    assert.equal(filter('anthropic-messages', MESSAGES, 500).body['max_tokens'], 500);
    assert.equal(filter('anthropic-messages', { ...MESSAGES, max_tokens: 20 }, 500).body['max_tokens'], 20);
    assert.equal(
      filter('anthropic-messages', { ...MESSAGES, thinking: { type: 'enabled', budget_tokens: 2000 } }, 500).body[
        'max_tokens'
      ],
      2001,
    );
    assert.equal(filter('openai-chat', CHAT, 500).body['max_tokens'], 500);
    const own = filter('openai-chat', CHAT, 500, 'https://api.openai.com/v1').body;
    assert.deepEqual([own['max_completion_tokens'], 'max_tokens' in own], [500, false]);
    const newer = filter('openai-chat', { ...CHAT, max_completion_tokens: 900 }, 500).body;
    assert.deepEqual([newer['max_completion_tokens'], 'max_tokens' in newer], [500, false]);
    const config = filter('gemini', GEMINI, 500).body['generationConfig'];
    assert.deepEqual(config, { maxOutputTokens: 500 });
    const kept = filter('gemini', { ...GEMINI, generationConfig: { topK: 1, maxOutputTokens: 900 } }, 500);
    assert.ok(isRecord(kept.body['generationConfig']));
    assert.deepEqual(
      [kept.body['generationConfig'], kept.injected],
      [{ topK: 1, maxOutputTokens: 500 }, ['generationConfig.maxOutputTokens: 500']],
    );
    for (const asked of ['900', true, {}, [900]])
      refuses('anthropic-messages', { ...MESSAGES, max_tokens: asked }, /max_tokens/);
    const both = filter('openai-chat', { ...CHAT, max_tokens: 900, max_completion_tokens: 900 }, 500).body;
    assert.deepEqual([both['max_tokens'], both['max_completion_tokens']], [500, 500]);
  });
});
