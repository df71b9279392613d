import { describeAnswer } from '../../attacks/answers.ts';
import type { HttpAnswer } from '../../http/http-answer.ts';
import type { Parameters } from '../../http/request-target.ts';
import { require } from '../../scenario.ts';
import type { TestApp } from '../../test-app.ts';

export interface Message {
  content: string;
  username: string;
}

export const postMessage = ({ http }: TestApp, { content, username }: Message): Promise<HttpAnswer> => http.post('/messages', { json: { content, username } });

export const getMessages = ({ http }: TestApp, query: Parameters = {}): Promise<HttpAnswer> => http.get('/messages', { query });

/** Throws `Unmet`. */
export async function mustPost(app: TestApp, message: Message): Promise<void> {
  const answer = await postMessage(app, message);
  require(app.profile === 'upstream' ? answer.ok : answer.status === 200, `${JSON.stringify(message.content)} must be posted with 200; ${describeAnswer(answer)}`);
}

/** Throws `Unmet`. */
export async function mustGet(app: TestApp, query: Parameters = {}): Promise<HttpAnswer> {
  const answer = await getMessages(app, query);
  require(app.profile === 'upstream' ? answer.ok : answer.status === 200, `messages must be shown with 200 for ${JSON.stringify(query)}; ${describeAnswer(answer)}`);
  return answer;
}
