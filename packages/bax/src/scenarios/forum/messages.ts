import { describeAnswer } from '../../attacks/answers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Parameters } from '../../http/request-target.ts';
import { require } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

export interface Message {
  content: string;
  username: string;
}

export const postMessage = ({ http }: TestApp, { content, username }: Message): Promise<HttpAnswer> =>
  http.post('/messages', { json: { content, username } });

export const getMessages = ({ http }: TestApp, query: Parameters = {}): Promise<HttpAnswer> =>
  http.get('/messages', { query });

/** Throws `Unmet` where it is refused. */
export async function mustPost(app: TestApp, message: Message): Promise<HttpAnswer> {
  const answer = await postMessage(app, message);
  require(answer.ok, `${JSON.stringify(message.content)} must be posted; ${describeAnswer(answer)}`);
  return answer;
}

/** Throws `Unmet` where they are refused. */
export async function mustGet(app: TestApp, query: Parameters = {}): Promise<HttpAnswer> {
  const answer = await getMessages(app, query);
  require(answer.ok, `messages must be shown for ${JSON.stringify(query)}; ${describeAnswer(answer)}`);
  return answer;
}
