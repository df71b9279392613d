import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LANE_DIALECTS } from './dialects/lane-dialects.ts';
import type { ModelDialect } from './contract.ts';
import { filterRequest, limitOutput, type FilteredRequest } from './filter-request.ts';
import { isRecord, Refusal } from './rules.ts';

const PATHS: Record<ModelDialect, string> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
};

function filter(
  name: ModelDialect,
  body: unknown,
  outputLimit: number | null = null,
  base = 'http://127.0.0.1/v1',
): FilteredRequest {
  const dialect = LANE_DIALECTS[name];
  const filtered = filterRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), {
    dialect,
    route: dialect.route(PATHS[name]) ?? assert.fail(),
    models: ['m'],
  });
  if (outputLimit !== null) limitOutput(filtered, dialect, outputLimit, new URL(base));
  return filtered;
}
const refuses = (name: ModelDialect, body: unknown, pattern: RegExp): void => {
  assert.throws(
    () => filter(name, body),
    (error) => error instanceof Refusal && pattern.test(error.message),
    `${JSON.stringify(body).slice(0, 200)} ${String(pattern)}`,
  );
};

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
const RESPONSES = { model: 'm', input: 'x', store: false };
const MESSAGES = { model: 'm', max_tokens: 64_000, messages: [{ role: 'user', content: 'x' }] };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'x' }] }] };
const IMAGE = 'data:image/png;base64,AAAA';

describe('bodies that the four clients send pass as they are', () => {
  const bodies: [ModelDialect, object][] = [
    [
      'anthropic-messages',
      {
        model: 'm',
        stream: true,
        max_tokens: 64_000,
        thinking: { type: 'adaptive' },
        output_config: { effort: 'high' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
          { type: 'text', text: 's', cache_control: { type: 'ephemeral' } },
        ],
        tools: [
          { name: 'Bash', description: 'd', input_schema: { type: 'object', properties: { url: { type: 'string' } } } },
          { name: 'e', input_schema: {}, eager_input_streaming: true },
        ],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { role: 'system', content: 'mid-conversation' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 't', signature: 's' },
              { type: 'redacted_thinking', data: 'd' },
              {
                type: 'tool_use',
                id: 'i',
                name: 'Bash',
                input: { type: 'url', command: { deep: [1, 2.5, 'http://x'] } },
              },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'i', is_error: true, content: [{ type: 'text', text: 'r' }] },
            ],
          },
        ],
      },
    ],
    [
      'openai-responses',
      {
        model: 'm',
        stream: true,
        store: false,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'k',
        parallel_tool_calls: true,
        tool_choice: 'auto',
        reasoning: { effort: 'medium', summary: 'auto', context: 'auto' },
        text: { verbosity: 'low' },
        tools: [
          { type: 'function', name: 'exec_command', description: 'd', strict: false, parameters: {} },
          { type: 'custom', name: 'apply_patch', description: 'd', format: { type: 'grammar' } },
          { type: 'tool_search', execution: 'client', description: 'd', parameters: {} },
        ],
        input: [
          {
            type: 'additional_tools',
            role: 'developer',
            tools: [
              {
                type: 'namespace',
                name: 'functions',
                description: 'd',
                tools: [{ type: 'custom', name: 'exec', description: 'd' }],
              },
            ],
          },
          { type: 'message', role: 'developer', id: 'a', content: [{ type: 'input_text', text: 'x' }] },
          { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: IMAGE, detail: 'auto' }] },
          { type: 'reasoning', id: 'r', summary: [], content: null, encrypted_content: 'e' },
          { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'o' },
          { type: 'custom_tool_call', call_id: 'c', name: 'n', input: 'i' },
          { type: 'custom_tool_call_output', call_id: 'c', output: 'o' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
        ],
      },
    ],
    [
      'openai-chat',
      {
        model: 'm',
        max_tokens: 32_000,
        stream: true,
        stream_options: { include_usage: true },
        tool_choice: 'auto',
        tools: [{ type: 'function', function: { name: 'bash', description: 'd', parameters: {} } }],
        messages: [
          { role: 'system', content: 's' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x' },
              { type: 'image_url', image_url: { url: IMAGE } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'out' },
        ],
      },
    ],
    [
      'gemini',
      {
        systemInstruction: { role: 'user', parts: [{ text: 's' }] },
        tools: [{ functionDeclarations: [{ name: 'n', description: 'd', parametersJsonSchema: {} }] }],
        toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
        generationConfig: {
          temperature: 1,
          topP: 0.95,
          topK: 64,
          thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
          responseMimeType: 'application/json',
          responseJsonSchema: {},
          maxOutputTokens: 5,
        },
        contents: [
          {
            role: 'model',
            parts: [{ functionCall: { id: 'i', name: 'n', args: { fileUri: 'x' } }, thoughtSignature: 't' }],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { id: 'i', name: 'n', response: { output: 'o' } } },
              { inlineData: { mimeType: 'image/png', data: 'AA' } },
            ],
          },
        ],
      },
    ],
  ];
  for (const [name, body] of bodies) {
    test(name, () => {
      const { body: sent, stripped, injected, stream, model } = filter(name, body);
      assert.deepEqual(
        { sent, stripped, injected, stream, model },
        { sent: body, stripped: [], injected: [], stream: true, model: 'm' },
      );
    });
  }
});

describe('what is refused', () => {
  test('unknown fields, at any level, are named', () => {
    for (const [name, body] of [
      ['openai-chat', CHAT],
      ['openai-responses', RESPONSES],
      ['anthropic-messages', MESSAGES],
      ['gemini', GEMINI],
    ] as const) {
      refuses(name, { ...body, newfangled: 1 }, /^lane: field newfangled not allowed$/);
      refuses(
        name,
        JSON.stringify(body).replace('{', '{"__proto__":{"store":true},'),
        /^lane: field __proto__ not allowed$/,
      );
      refuses(
        name,
        JSON.stringify(body).replace('{', '{"constructor":{},"toString":1,'),
        /^lane: field constructor not allowed$/,
      );
    }
    refuses(
      'anthropic-messages',
      {
        ...MESSAGES,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'x', citations: { enabled: true } }] }],
      },
      /messages\[0\]\.content\[0\]\.citations/,
    );
    refuses('anthropic-messages', { ...MESSAGES, 'evil\u001b[31m\n': 1 }, /^lane: field evil\?\[31m\? not allowed$/);
  });

  test('state, files and addresses at the service', () => {
    for (const field of [
      'previous_response_id',
      'conversation',
      'background',
      'prompt',
      'max_tool_calls',
      'context_management',
      'webhook',
    ])
      refuses('openai-responses', { ...RESPONSES, [field]: 'x' }, new RegExp(`field ${field} not`));
    for (const field of ['mcp_servers', 'container', 'inference_geo', 'speed'])
      refuses('anthropic-messages', { ...MESSAGES, [field]: 'x' }, new RegExp(`field ${field} not`));
    for (const field of ['cachedContent', 'cached_content', 'system_instruction', 'model'])
      refuses('gemini', { ...GEMINI, [field]: 'x' }, new RegExp(`field ${field} not`));
    for (const field of [
      'web_search_options',
      'functions',
      'audio',
      'modalities',
      'prediction',
      'plugins',
      'transforms',
      'models',
      'logit_bias',
    ])
      refuses('openai-chat', { ...CHAT, [field]: {} }, new RegExp(`field ${field} not`));

    const blocks: [object, RegExp][] = [
      [{ type: 'image', source: { type: 'url', url: 'http://x' } }, /source\.type "url" not/],
      [{ type: 'image', source: { type: 'file', file_id: 'f' } }, /"file" not/],
      [{ type: 'document', source: { type: 'base64', data: '' } }, /type "document" not/],
      [{ type: 'container_upload', file_id: 'f' }, /container_upload/],
      [{ type: 'search_result', source: 'http://x' }, /search_result/],
      [{ type: 'server_tool_use', id: 'i', name: 'web_search', input: {} }, /server_tool_use/],
      [{ type: 'mcp_tool_use' }, /mcp_tool_use/],
      [{ type: 'toString' }, /toString/],
      [
        {
          type: 'tool_result',
          tool_use_id: 'i',
          content: [{ type: 'image', source: { type: 'url', url: 'http://x' } }],
        },
        /content\[0\]\.source\.type "url"/,
      ],
    ];
    for (const [block, pattern] of blocks)
      refuses('anthropic-messages', { ...MESSAGES, messages: [{ role: 'user', content: [block] }] }, pattern);
    for (const url of [
      'http://x/y.png',
      'https://x/',
      'file:///etc/passwd',
      'data:text/html;base64,AA',
      'data:image/png,http://x',
      '',
      `${IMAGE} http://x`,
    ]) {
      refuses(
        'openai-chat',
        { ...CHAT, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
        /image_url\.url/,
      );
      refuses(
        'openai-responses',
        { ...RESPONSES, input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] },
        /image_url/,
      );
      refuses(
        'openai-responses',
        {
          ...RESPONSES,
          input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: url }] }],
        },
        /output\[0\]\.image_url/,
      );
    }
    for (const item of [
      'item_reference',
      'web_search_call',
      'file_search_call',
      'mcp_call',
      'code_interpreter_call',
      'computer_call_output',
      'compaction',
    ])
      refuses('openai-responses', { ...RESPONSES, input: [{ type: item, id: 'x' }] }, new RegExp(item));
    for (const part of [
      { type: 'input_file', file_id: 'f' },
      { type: 'input_file', file_url: 'http://x' },
      { type: 'input_image', file_id: 'f' },
      { type: 'input_audio' },
    ])
      refuses('openai-responses', { ...RESPONSES, input: [{ role: 'user', content: [part] }] }, /not allowed/);
    for (const part of [
      { fileData: { fileUri: 'http://x' } },
      { file_data: {} },
      { executableCode: {} },
      { functionResponse: { name: 'n', response: {}, parts: [{ fileData: {} }] } },
      { text: 'x', videoMetadata: {} },
    ])
      refuses('gemini', { contents: [{ parts: [part] }] }, /not allowed/);
  });

  test('another model, in body or path', () => {
    refuses('openai-chat', { ...CHAT, model: 'other' }, /^lane: model other not allowed; there is m$/);
    for (const model of [undefined, null, 1, ['m'], 'M', ' m', 'm '])
      refuses('anthropic-messages', { ...MESSAGES, model }, /model/);
    const dialect = LANE_DIALECTS.gemini;
    const route = dialect.route('/v1beta/models/n:generateContent') ?? assert.fail();
    assert.throws(
      () => filterRequest(Buffer.from(JSON.stringify(GEMINI)), { dialect, route, models: ['m'] }),
      /model n not allowed/,
    );
    for (const target of [
      '/v1beta/models/m/../n:generateContent',
      '/v1beta/models/a%2fb:generateContent',
      '/v1beta/models/:generateContent',
      '/v1beta/tunedModels/m:generateContent',
    ])
      assert.equal(dialect.route(target), null);
  });

  test('what is no JSON object, and what is too deep', () => {
    for (const body of ['', '{', '[]', 'null', '"x"', '{"model":"m"}x']) refuses('openai-chat', body, /lane: /);
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    refuses('openai-chat', `{"model":"m","messages":[],"response_format":${deep}}`, /too deeply/);
    refuses(
      'anthropic-messages',
      `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":${deep}}]}`,
      /messages/,
    );
    let tools: object[] = [{ type: 'function', name: 'f' }];
    for (let level = 0; level < 20; level += 1) tools = [{ type: 'namespace', name: 'n', tools }];
    refuses('openai-responses', { ...RESPONSES, tools }, /too deeply/);
  });
});

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
