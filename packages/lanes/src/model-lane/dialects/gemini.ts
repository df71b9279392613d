import {
  anything,
  DROPPED,
  fields,
  flag,
  isRecord,
  list,
  number,
  only,
  dropped,
  shown,
  text,
  tools,
  type Rule,
} from '../rules.ts';
import type { LaneDialect } from './dialect.ts';
import { SMALL_QUESTION } from './small-question.ts';
import { count, member } from './usage-fields.ts';

const inlineData = fields({ mimeType: text, data: text });
const part = fields({
  text,
  thought: flag,
  thoughtSignature: text,
  inlineData,
  functionCall: fields({ id: text, name: text, args: anything }),
  functionResponse: fields({
    id: text,
    name: text,
    response: anything,
    parts: list(fields({ inlineData })),
    willContinue: flag,
    scheduling: text,
  }),
});
const content = fields({ role: only('user', 'model', 'function', 'system'), parts: list(part) });

const declaration = fields({
  name: text,
  description: text,
  parameters: anything,
  parametersJsonSchema: anything,
  response: anything,
  responseJsonSchema: anything,
  behavior: text,
});

/** One entry may mix declarations with what the service runs: only the declarations stay. */
const toolEntry: Rule = (value, path, notes) => {
  if (!isRecord(value)) return DROPPED;
  for (const name of Object.keys(value)) {
    if (name === 'functionDeclarations') continue;
    notes.hostedTools.push(shown(name));
    notes.stripped.push(`${path}: hosted tool ${shown(name)}`);
  }
  return {
    functionDeclarations: list(declaration)(value['functionDeclarations'], `${path}.functionDeclarations`, notes),
  };
};

const body = fields({
  contents: list(content),
  systemInstruction: content,
  tools: tools(
    (tool) => ('functionDeclarations' in tool ? toolEntry : null),
    (tool) => Object.keys(tool).join('+'),
  ),
  toolConfig: fields({
    functionCallingConfig: fields({ mode: text, allowedFunctionNames: list(text), streamFunctionCallArguments: flag }),
  }),
  generationConfig: fields({
    temperature: number,
    topP: number,
    topK: number,
    maxOutputTokens: number,
    stopSequences: list(text),
    candidateCount: only(1),
    seed: number,
    presencePenalty: number,
    frequencyPenalty: number,
    responseMimeType: text,
    responseSchema: anything,
    responseJsonSchema: anything,
    thinkingConfig: fields({ includeThoughts: flag, thinkingBudget: number, thinkingLevel: text }),
  }),
  safetySettings: list(fields({ category: text, threshold: text, method: text })),
  labels: dropped,
});

const TARGET = /^\/v1beta\/models\/([A-Za-z0-9._-]{1,200}):(?:(generateContent)|(streamGenerateContent)\?alt=sse)$/;

/** Gemini's `generateContent` and `streamGenerateContent`. */
export const gemini: LaneDialect = {
  name: 'gemini',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  basePath: '',
  route: (target) => {
    const found = TARGET.exec(target);
    return found === null ? null : { model: found[1] ?? '', stream: found[3] !== undefined };
  },
  address: (base, target) => new URL(`${base.pathname.replace(/(?:\/v1(?:beta)?)?\/*$/, '')}${target}`, base.origin),
  tokenOf: (headers) => (typeof headers['x-goog-api-key'] === 'string' ? headers['x-goog-api-key'] : undefined),
  keyHeaders: (key) => ({ 'x-goog-api-key': key }),
  headersUp: () => ({}),
  body,
  force: () => {},
  outputLimit: { paths: [['generationConfig', 'maxOutputTokens']], minimum: 1 },
  small: (model, stream) => ({
    target: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: SMALL_QUESTION }] }] },
  }),
  errorBody: (status, message) => ({
    error: { code: status, message, status: status === 402 ? 'FAILED_PRECONDITION' : 'INVALID_ARGUMENT' },
  }),
  budgetStatus: 402,
  readUsage: ({ usageMetadata: found }, usage) => {
    if (!isRecord(found) || typeof found['promptTokenCount'] !== 'number') return false;
    usage.inputTokens = count(found['promptTokenCount']) + count(found['toolUsePromptTokenCount']);
    usage.cachedInputTokens = count(found['cachedContentTokenCount']);
    usage.outputTokens = Math.max(
      usage.outputTokens,
      count(found['candidatesTokenCount']) + count(found['thoughtsTokenCount']),
    );
    return true;
  },
  isFinal: (event) => {
    const [candidate]: unknown[] = Array.isArray(event['candidates']) ? event['candidates'] : [];
    return (
      typeof member({ candidate }, 'candidate')['finishReason'] === 'string' ||
      typeof member(event, 'promptFeedback')['blockReason'] === 'string'
    );
  },
};
