import type { HttpAnswer } from '../../http/http-answer.ts';
import { pythonText } from '../../http/python-values.ts';
import type { TestApp } from '../../test-app.ts';

/** With a token of whatever type a login answered; undefined: without one. */
export function storeSecret({ http }: TestApp, token: unknown, username: string, secret: string): Promise<HttpAnswer> {
  return http.post('/set_secret', { json: { username, secret }, headers: bearing(token) });
}

export function readSecret({ http }: TestApp, token: unknown, username: string): Promise<HttpAnswer> {
  return http.get('/get_secret', { query: { username }, headers: bearing(token) });
}

/** As upstream writes a token that is no text. */
function bearing(token: unknown): Record<string, string> {
  if (token === undefined) return {};
  if (token === null) return { Authorization: 'Bearer None' };
  const scalar = typeof token === 'string' || typeof token === 'number' || typeof token === 'boolean';
  return { Authorization: `Bearer ${scalar ? pythonText(token) : JSON.stringify(token)}` };
}
