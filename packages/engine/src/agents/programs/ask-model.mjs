// Asks a chat model by OpenAI's interface, one answer at a time and not as a stream: so the lane can try again whatever
// breaks.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const CONNECTION_TRIES = 3;
const RETRY_MS = 1000;
/** For services that want the limit under its newer name and get the older one from somebody on the way. */
const NEW_LIMIT = 32_000;

const TOO_LONG =
  /context[ _-]?(?:length|window)|prompt is too long|maximum (?:context|prompt)|too many (?:input )?tokens|request_too_large|input is too long/i;

/** The conversation is longer than the model's window. */
export class TooLong extends Error {}

/** The model does not answer, or not so that anything could be done with it. Trying again would come to the same. */
export class NoAnswer extends Error {}

/**
 * @param {{baseUrl: string, token: string, model: string}} address
 * @param {{messages: object[], tools?: object[]}} question
 * Throws NoAnswer and TooLong.
 * @returns {Promise<{message: {content: string, toolCalls: object[], raw: object}, cut: boolean}>}
 */
export async function askModel(address, question) {
  let body = { model: address.model, ...question };
  for (;;) {
    const { status, text } = await post(address, body);
    if (status === 200) return readAnswer(text);
    if (status === 400 && text.includes('max_completion_tokens') && body.max_completion_tokens === undefined)
      body = { ...body, max_completion_tokens: NEW_LIMIT };
    else if (status === 400 && TOO_LONG.test(text)) throw new TooLong(text.slice(0, 2000));
    else throw new NoAnswer(`the model answered with status ${status}: ${text.slice(0, 2000)}`);
  }
}

/** A connection that breaks is tried again; the lane itself has tried again what its service did wrong. */
async function post(address, body) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await postOnce(address, JSON.stringify(body));
    } catch (error) {
      if (attempt === CONNECTION_TRIES) throw new NoAnswer(`the model cannot be reached: ${error.message}`);
      await sleep(RETRY_MS);
    }
  }
}

function postOnce({ baseUrl, token }, body) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/chat/completions`, { method: 'POST', headers, agent: false }, (response) => {
      const chunks = [];
      let size = 0;
      response.on('data', (chunk) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > MAX_ANSWER_BYTES) response.destroy(new Error('an answer without end'));
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function readAnswer(text) {
  const choice = parse(text)?.choices?.[0];
  const message = choice?.message;
  if (typeof message !== 'object' || message === null)
    throw new NoAnswer(`no answer of a chat model: ${text.slice(0, 2000)}`);
  const toolCalls = Array.isArray(message.tool_calls)
    ? message.tool_calls.filter((call) => typeof call?.function?.name === 'string')
    : [];
  return {
    message: {
      content: contentOf(message.content) || contentOf(message.refusal),
      toolCalls,
      raw: echo(message, toolCalls),
    },
    cut: choice.finish_reason === 'length',
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function contentOf(content) {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part?.text ?? '').join('') : '';
}

/**
 * The message as it goes back in the next question: services add fields to answers that they do not take in questions.
 */
function echo({ content, reasoning_content: reasoning }, toolCalls) {
  const calls = toolCalls.map(({ id, function: { name, arguments: given }, extra_content: extra }) => ({
    id: String(id),
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  }));
  return {
    role: 'assistant',
    content: contentOf(content),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    // Thoughts are wanted back only while tools are at work.
    ...(calls.length > 0 && typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
  };
}
