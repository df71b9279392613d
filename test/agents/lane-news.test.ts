import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FakeModelLogEntry } from '../../packages/lanes/src/fake-model/serve-fake-model.ts';
import { laneNews } from './lane-news.ts';

const request = (path: string, body: object, headers: Record<string, string> = {}): FakeModelLogEntry => ({
  at: '',
  dialect: null,
  method: 'POST',
  path,
  headers,
  body,
  answered: '',
});
const chat = (more: object): FakeModelLogEntry =>
  request('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'x' }], ...more });

describe('what the lane makes of the requests of a client', () => {
  test('nothing new', () => {
    const tool = { type: 'function', function: { name: 'read', parameters: {} } };
    assert.deepEqual(laneNews([chat({ tools: [tool] }), { ...request('/', {}), method: 'HEAD' }], 'm'), {
      refused: [],
      stripped: [],
      headers: [],
      tools: ['read'],
    });
  });

  test('every field that it would refuse, once, wherever it stands', () => {
    const messages = [
      { role: 'user', content: 'x', novelty: 1 },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x', mood: 'good' },
          { type: 'hologram', data: 1 },
        ],
        novelty: 2,
      },
    ];
    const { refused } = laneNews([chat({ messages, surprise: { a: 1 } }), chat({ surprise: 2 })], 'm');
    assert.deepEqual(refused, [
      'field messages[].content[].mood',
      'field messages[].content[].type "hologram"',
      'field messages[].novelty',
      'field surprise',
    ]);
  });

  test('tools that the service would run, beta features, headers, addresses and models', () => {
    const news = laneNews(
      [
        request(
          '/v1/messages?beta=true',
          {
            model: 'm',
            max_tokens: 1,
            messages: [],
            metadata: { user_id: 'x' },
            tools: [
              { name: 'Read', input_schema: {} },
              { type: 'web_search_20250305', name: 'web_search' },
            ],
          },
          { 'anthropic-beta': 'files-api-2099-01-01,effort-2025-11-24', 'x-new-header': '1', accept: '*/*', host: 'x' },
        ),
        request('/v1/messages/batches', {}),
        chat({ model: 'another' }),
      ],
      'm',
    );
    assert.deepEqual(news.refused, [
      'address POST /v1/messages/batches',
      'model another; there is m',
      'tools[]: hosted tool web_search_20250305',
    ]);
    assert.deepEqual(
      [news.stripped, news.headers, news.tools],
      [['anthropic-beta: files-api-2099-01-01', 'metadata'], ['x-new-header'], ['Read', 'web_search']],
    );
  });

  test('a hosted tool alone', () => {
    assert.deepEqual(
      laneNews([request('/v1beta/models/m:generateContent', { contents: [], tools: [{ googleSearch: {} }] })], 'm')
        .refused,
      ['hosted tool googleSearch'],
    );
  });
});
