import type { FakeDialect, OfferedTool, PlannedAnswer, Step, StreamEvent } from '../contract.ts';
import { field, joined, list, numberOf, pieces, textOf } from '../json-access.ts';

const METHOD = /\/models\/(?<model>[^/:]+):(?<method>generateContent|streamGenerateContent|countTokens)$/;
const STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** `/models/M:generateContent`, `:streamGenerateContent` and `:countTokens` */
export const gemini: FakeDialect = {
  name: 'gemini',
  match: (path) => {
    const method = METHOD.exec(path)?.groups?.['method'];
    return method === undefined ? null : method === 'countTokens' ? 'count' : 'ask';
  },
  read: (body, url) => {
    const { model = '', method } = METHOD.exec(url.pathname)?.groups ?? {};
    const contents = list(field(body, 'contents'));
    const config = field(body, 'generationConfig');
    const tools = field(body, 'tools');
    return {
      model: decodeURIComponent(model),
      streams: method === 'streamGenerateContent',
      system: textOf(field(body, 'systemInstruction', 'parts') ?? field(body, 'system_instruction', 'parts')),
      user: joined(
        contents
          .filter((content) => field(content, 'role') !== 'model')
          .map((content) => textOf(field(content, 'parts'))),
      ),
      conversation: contents.flatMap(readContent),
      tools: Array.isArray(tools) ? tools.flatMap(readTools) : null,
      schema: field(config, 'responseJsonSchema') ?? field(config, 'responseSchema'),
      temperature: numberOf(field(config, 'temperature')),
      maxTokens: numberOf(field(config, 'maxOutputTokens')),
      wantsUsage: true,
    };
  },
  whole: (answer) => reply(answer, parts(answer), true),
  events: (answer, { chunk, minimal }) => {
    if (minimal)
      return [
        {
          data: {
            candidates: [{ content: { role: 'model', parts: parts(answer) }, finishReason: finishReason(answer) }],
          },
          isText: true,
        },
      ];
    const told = [
      ...pieces(answer.think, chunk)
        .filter((text) => text !== '')
        .map((text) => ({ text, thought: true })),
      ...pieces(answer.say, chunk)
        .filter((text) => text !== '')
        .map((text) => ({ text })),
      ...callParts(answer),
    ];
    const shown: object[] = told.length === 0 ? [{ text: '' }] : told;
    return shown.map((part, index): StreamEvent => ({
      data: reply(answer, [part], index === shown.length - 1),
      isText: 'text' in part,
    }));
  },
  end: null,
  error: (code, message) => ({
    error: { code, message, status: STATUS[code] ?? (code >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION') },
  }),
  errorEvent: (message) => ({ data: { error: { code: 503, message, status: 'UNAVAILABLE' } } }),
  count: (totalTokens) => ({ totalTokens }),
};

/** A content of the user may hold results of tools beside text. */
function readContent(content: unknown): Step[] {
  const found = list(field(content, 'parts'));
  const text = textOf(found);
  const ids = (kind: string): string[] =>
    found
      .flatMap((part) => (field(part, kind) === undefined ? [] : [textOf(field(part, kind, 'id'))]))
      .filter((id) => id !== '');
  if (field(content, 'role') === 'model') return [{ by: 'model', text, callIds: ids('functionCall') }];
  const results = found.flatMap((part): Step[] => {
    const response = field(part, 'functionResponse', 'response');
    return response === undefined
      ? []
      : [
          {
            by: 'tool',
            text: textOf(field(response, 'output')) || JSON.stringify(response),
            callIds: ids('functionResponse'),
          },
        ];
  });
  return text === '' ? results : [...results, { by: 'user', text, callIds: [] }];
}

function readTools(tool: unknown): OfferedTool[] {
  const declared = field(tool, 'functionDeclarations') ?? field(tool, 'function_declarations');
  if (declared === undefined)
    return [
      {
        name: Object.keys(typeof tool === 'object' && tool !== null ? tool : {}).join(' '),
        kind: 'hosted',
        description: '',
        parameters: undefined,
      },
    ];
  return list(declared).map((declaration) => ({
    name: textOf(field(declaration, 'name')),
    kind: 'function',
    description: textOf(field(declaration, 'description')),
    parameters: field(declaration, 'parametersJsonSchema') ?? field(declaration, 'parameters'),
  }));
}

function parts(answer: PlannedAnswer): object[] {
  const { think, say, calls } = answer;
  return [
    ...(think === '' ? [] : [{ text: think, thought: true }]),
    ...(say === '' && calls.length > 0 ? [] : [{ text: say }]),
    ...callParts(answer),
  ];
}

function callParts({ id, calls }: PlannedAnswer): object[] {
  const thoughtSignature = Buffer.from(`fake ${id}`).toString('base64');
  return calls.map((call, index) => ({
    functionCall: { id: call.id, name: call.name, args: call.arguments },
    thoughtSignature: index === 0 ? thoughtSignature : undefined,
  }));
}

function reply(answer: PlannedAnswer, shown: object[], isLast: boolean): object {
  const { id, model, usage } = answer;
  return {
    candidates: [
      { content: { role: 'model', parts: shown }, index: 0, finishReason: isLast ? finishReason(answer) : undefined },
    ],
    usageMetadata: {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output - usage.reasoning,
      totalTokenCount: usage.input + usage.output,
      cachedContentTokenCount: usage.cached,
      thoughtsTokenCount: usage.reasoning,
    },
    modelVersion: model,
    responseId: id,
  };
}

/** A call of a tool is no reason of its own here. */
function finishReason({ stop }: PlannedAnswer): string {
  return { end: 'STOP', tools: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }[stop];
}
