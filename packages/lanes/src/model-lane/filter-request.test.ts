import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelDialect } from './contract.ts';
import { LANE_DIALECTS } from './dialects/lane-dialects.ts';
import { filterRequest } from './filter-request.ts';
import { CHAT, GEMINI, IMAGE, MESSAGES, RESPONSES, filter, refuses } from './filter-request.fixture.ts';

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
