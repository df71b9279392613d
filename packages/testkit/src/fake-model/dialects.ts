/** What is asked, whatever the dialect. */
export interface FakeQuestion {
  model: string;
  system: string;
  user: string;
  temperature: number | null;
  maxTokens: number | null;
}

export interface FakeAnswer {
  text: string;
  stop: 'end' | 'truncated' | 'refused';
  model: string;
}

/** One protocol that the fake model speaks, told by the end of the path. */
export interface FakeDialect {
  name: string;
  suffix: string;
  readQuestion(body: unknown): FakeQuestion;
  writeAnswer(answer: FakeAnswer): unknown;
}

const openai: FakeDialect = {
  name: 'openai',
  suffix: '/chat/completions',
  readQuestion: (body) => {
    const messages = list(field(body, 'messages'));
    const said = (role: string): string => messages.filter((message) => field(message, 'role') === role).map((message) => textOf(field(message, 'content'))).join('\n\n');
    return {
      model: textOf(field(body, 'model')),
      system: said('system'),
      user: said('user'),
      temperature: numberOf(field(body, 'temperature')),
      maxTokens: numberOf(field(body, 'max_tokens')) ?? numberOf(field(body, 'max_completion_tokens')),
    };
  },
  writeAnswer: ({ text, stop, model }) => ({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: stop === 'refused' ? { role: 'assistant', content: null, refusal: text } : { role: 'assistant', content: text, refusal: null },
        finish_reason: { end: 'stop', truncated: 'length', refused: 'stop' }[stop],
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
};

const anthropic: FakeDialect = {
  name: 'anthropic',
  suffix: '/v1/messages',
  readQuestion: (body) => ({
    model: textOf(field(body, 'model')),
    system: textOf(field(body, 'system')),
    user: list(field(body, 'messages')).filter((message) => field(message, 'role') === 'user').map((message) => textOf(field(message, 'content'))).join('\n\n'),
    temperature: numberOf(field(body, 'temperature')),
    maxTokens: numberOf(field(body, 'max_tokens')),
  }),
  writeAnswer: ({ text, stop, model }) => ({
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: { end: 'end_turn', truncated: 'max_tokens', refused: 'refusal' }[stop],
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
};

export const FAKE_DIALECTS: readonly FakeDialect[] = [openai, anthropic];

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Text, or the texts of its parts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return list(value).map((part) => textOf(field(part, 'text'))).join('');
}
