import { createHmac } from 'node:crypto';

/** From the examples that everybody copies, and so the first that anybody tries. */
const GUESSABLE_KEYS = [
  '',
  'secret',
  'secretkey',
  'secret-key',
  'secret_key',
  'mysecret',
  'mysecretkey',
  'my-secret-key',
  'my_secret_key',
  'supersecret',
  'supersecretkey',
  'super-secret-key',
  'super_secret_key',
  'your-secret-key',
  'your_secret_key',
  'jwt-secret',
  'jwt_secret',
  'changeme',
  'change-me',
  'default-secret',
  'default_secret',
  'dev',
  'key',
  'password',
] as const;
const DIGESTS: Readonly<Record<string, string>> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

export interface ForgedToken {
  /** Its defect, to follow the words "a token". */
  how: string;
  token: string;
}

/**
 * Tokens that nobody was given, for whom `token` was: without a signature, with a wrong one, and with another claim
 * where the key is easily guessed. None where it is no JSON Web Token.
 */
export function forgedFrom(token: unknown): ForgedToken[] {
  const [header, payload, signature] = typeof token === 'string' ? token.split('.') : [];
  if (header === undefined || payload === undefined || signature === undefined) return [];
  const wrong = Buffer.from(signature, 'base64url').map((byte) => byte ^ 0xff);
  return [
    { how: 'that is not signed', token: `${encoded({ alg: 'none', typ: 'JWT' })}.${payload}.` },
    { how: 'whose signature is wrong', token: `${header}.${payload}.${Buffer.from(wrong).toString('base64url')}` },
    ...signedAnew(header, payload, signature),
  ];
}

function signedAnew(header: string, payload: string, signature: string): ForgedToken[] {
  const digest = DIGESTS[String(decoded(header)?.['alg'])];
  const claims = decoded(payload);
  if (digest === undefined || claims === null) return [];
  const signed = (key: string, text: string): string =>
    createHmac(digest, key).update(`${header}.${text}`).digest('base64url');
  const key = GUESSABLE_KEYS.find((each) => signed(each, payload) === signature);
  if (key === undefined) return [];
  const changed = encoded({ ...claims, jti: 'forged' });
  return [
    {
      how: `signed with the guessed key ${JSON.stringify(key)}`,
      token: `${header}.${changed}.${signed(key, changed)}`,
    },
  ];
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
